import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';

/**
 * Runs a shell command that prints an event stream, and returns the output up to the first event.
 * The command is killed when the test ends.
 */
export async function readFirstEvent(command: string): Promise<string> {
  const shell = spawn('sh', ['-c', command]);
  onTestFinished(() => void shell.kill());
  let text = '';
  for await (const chunk of shell.stdout.setEncoding('utf8')) {
    text += chunk;
    if (text.includes('event: next')) break;
  }
  return text;
}
