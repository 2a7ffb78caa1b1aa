/** The exit codes of every command, for scripts. */
export const exitCodes: Readonly<Record<number, string>> = {
  0: 'the command succeeded',
  1: 'the request was refused or failed, you declined, or there was no response',
  2: 'wrong usage, or the command requires a confirmation but no terminal is attached: nothing was changed',
  130: 'interrupted (Ctrl-C)',
}

/** Additional or different exit codes of single commands. */
export const exitCodesOfCommands: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'jobs submit': {
    1: 'the request was refused or failed. With --dry-run: it would be rejected',
  },
  'jobs submit-csv': {
    0: 'every row is submitted. With --dry-run: it would be accepted',
    1: 'nothing was submitted, because rows are refused, or there was no response',
    3: 'some rows were refused, and others submitted',
  },
  'jobs watch': {
    0: 'the print job is DESPATCHED',
    3: 'the print job is REJECTED',
    4: 'timeout',
  },
  'bulk watch': {
    0: 'everything was done',
    3: 'it ended incomplete: some print jobs were refused, or it was stopped or expired',
    4: 'timeout',
  },
  'callbacks replay-many': {
    1: 'you declined, the selected callbacks have changed, or the request was refused',
  },
  listen: {
    0: 'you ended it with Ctrl-C',
  },
  trigger: {
    1: 'your receiver did not answer each example with 2xx',
  },
  doctor: {
    0: 'no errors; there may be warnings. With --reconcile: nothing is missing',
    1: 'errors were found. With --reconcile: something is missing',
  },
  'provider-conformance': {
    0: 'no case failed',
    1: 'a case failed, or it was interrupted',
  },
}
