/** Where the tests are that a row of the fault matrix has, by words of their names. */
export interface Cover {
  readonly file: string;
  readonly test: string;
}

const at = (file: string, test: string): Cover => ({ file: `test/${file}.test.ts`, test });

/** The rows whose tests are not in the table of rows, or not there alone. */
export const COVER: Readonly<Record<number, readonly Cover[]>> = {
  8: [
    at('faults/unreachable', 'its port is closed'),
    at('upstream/patience', 'a write twice of which not a byte was sent'),
  ],
  9: [at('upstream/lookup', 'can be resolved no more leads to its last good address')],
  10: [at('faults/unreachable', 'its connections are never taken')],
  11: [at('faults/tls', 'is not trusted')],
  12: [at('faults/unreachable', 'it never answers the TLS handshake')],
  13: [at('faults/unreachable', 'it speaks no TLS')],
  16: [at('faults/connection', 'is followed by no other one')],
  18: [at('faults/statuses', 'is answered by %s (row 18)')],
  26: [at('faults/ids', 'goes out and comes back with every digit')],
  32: [at('faults/connection', 'to another host is not followed')],
  34: [at('faults/copies', 'is taken to mean the copy of the caller who asked')],
  35: [at('faults/copies', 'never makes an answer of nothing')],
  36: [
    at('faults/copies', 'is not asked so after a change by the same caller'),
    at('store/changes', 'leaves nothing that a read brings which began before it ended'),
  ],
  37: [
    at('faults/copies', 'is asked so only of what was %d seconds old'),
    at('store/freshness', 'are both seen, when the first was read %d ms into it'),
  ],
  39: [at('faults/refused-token', 'for ever costs two tokens')],
  40: [at('faults/refused-token', 'of 200 calls at once costs one renewal')],
  41: [
    at('faults/token', 'and serves them when it is well again'),
    at('upstream/token-pause', 'leaves callers the token that is valid'),
  ],
  42: [
    at('faults/token', 'that sets a cookie never gets it back'),
    at('upstream/token-pause', 'are not tried again for'),
  ],
  43: [at('faults/token', 'gives a token that serves (row 43)')],
  44: [at('faults/token', 'gives a token that serves (row 44)'), at('upstream/token-reading', 'is read by that clock')],
  45: [at('faults/token', 'is asked once when 200 come at once')],
  46: [at('faults/token', 'is not given up when who asked first has gone')],
  47: [at('faults/token', 'and serves them when it is well again')],
  49: [at('faults/statuses', 'is asked no more by anybody'), at('upstream/limit-pause', 'doubles each time')],
  50: [at('faults/statuses', 'is null for what is read')],
  52: [at('faults/statuses', 'has a code of its own or of its class')],
  53: [at('upstream/patience', 'spends three second tries a second')],
  54: [
    at('faults/outage', 'costs at most 1.1 calls'),
    at('upstream/breaker', 'lets one call try once its time is over'),
  ],
  55: [at('faults/statuses', 'is passed on as %d ms'), at('upstream/patience', 'waits as long as it is told')],
  56: [at('upstream/breaker', 'up for a second and down for a second')],
  57: [at('faults/connection', 'costs no read'), at('faults/connection', 'never makes a write happen twice')],
  58: [at('faults/statuses', 'by the same key')],
  59: [at('faults/connection', 'leaves its connection to those who wait')],
  60: [at('faults/connection', 'has a bounded number who wait for it')],
  61: [at('faults/ids', 'is one segment, encoded once')],
  62: [at('faults/ids', 'is refused as %j'), at('faults/ids', 'is refused where two rules would share it')],
};
