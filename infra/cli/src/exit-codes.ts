/** The exit codes of every command, for scripts. */
export const exitCodes: Readonly<Record<number, string>> = {
  0: 'it is done',
  1: 'it was refused, could not be done, or nobody answers',
  2: 'the command is wrong, or wants an agreement that nobody is there to give: nothing was done',
  130: 'it was interrupted (Ctrl-C)',
}

/** Additional or different exit codes of single commands. */
export const exitCodesOfCommands: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'jobs watch': {
    0: 'the print job is DESPATCHED',
    3: 'the print job is REJECTED',
    4: 'it has not ended in time',
  },
  'bulk watch': {
    0: 'all of it was done',
    3: 'it has ended and not all was done: some was refused, or it was stopped or expired',
    4: 'it has not ended in time',
  },
  'callbacks replay-many': {
    1: 'somebody said no, there are others by now, or it was refused',
  },
  'queues pause': { 1: 'somebody said no, or it was refused' },
  'queues drain': { 1: 'somebody said no, or it was refused' },
  'queues redrive': { 1: 'somebody said no, or it was refused' },
  doctor: {
    0: 'nothing is bad; there may be warnings. With --reconcile: nothing is missing',
    1: 'something is bad. With --reconcile: something is missing',
  },
  'provider-conformance': {
    0: 'no case failed',
    1: 'a case failed, or it was interrupted',
  },
}
