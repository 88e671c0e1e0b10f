/** JSON that is nested deeper is refused, as no platform would say it: what reads it later would run out of stack. */
export const DEPTH_MAX = 128;
/** A shorter text may be parsed to see how deep it is, however deep that is. */
const SHORT = 65_536;

/** Whether a JSON text is nested so deep that only to parse it would take seconds. */
export function isFarTooDeep(text: string): boolean {
  if (text.length <= SHORT) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > DEPTH_MAX) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return false;
}

export const tooDeep = (): Error => new Error('the answer is nested too deep');

const QUOTE = 0x22;

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return text.length;
}
