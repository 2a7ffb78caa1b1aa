import { type DestinationStream, type Logger, pino } from 'pino'
import { activeTraceId } from './active-trace.ts'
import { describeError } from './describe-error.ts'

export type { DestinationStream as LogDestination, Logger } from 'pino'

export type LoggerOptions = {
  service: string
  level?: string
  /** Where the lines go; standard output when absent. */
  destination?: DestinationStream
}

// What a caller sent, and what would let somebody act as the caller. Lines carry ids only; a field of
// one of these names is withheld whatever it holds, so that a careless line cannot leak.
const withheldFields = [
  'req',
  'request',
  'res',
  'reply',
  'body',
  'headers',
  'query',
  'params',
  'url',
  'target',
  'authorization',
  'authenticationHeader',
  'apiKey',
  'password',
  'newPassword',
  'verifyCode',
  'token',
  'secret',
  'userName',
  'email',
  'recipientName',
  'address',
  'printableAddress',
  'submittedAddress',
  'addressOverride',
  'addressee',
  'standardParams',
  'customParams',
  'callbackParams',
] as const

const serializers = {
  ...Object.fromEntries(withheldFields.map((name) => [name, () => '[withheld]'])),
  err: describeError,
  error: describeError,
}

/**
 * A logger of one service. Write one wide line per thing that happened, named noun.verb, with ids,
 * outcome and duration: `log.info({ printJobKey, durationMs }, 'print-job.moved')`. Errors go in `err`. A line that is
 * written within a span has its `traceId`.
 */
export function createLogger({ service, level = 'info', destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service },
    serializers,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: traceOfLine,
    mixinMergeStrategy: joinLine,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  }
  // A line waits while the one before is written, instead of holding up the request that it tells of; what is left is
  // written when the process exits.
  return pino(options, destination ?? pino.destination({ dest: 1, sync: false }))
}

const noTrace = {}

function traceOfLine(): object {
  const traceId = activeTraceId()
  return traceId === undefined ? noTrace : { traceId }
}

/** Most lines have no trace: they are left as they are. */
function joinLine(line: object, trace: object): object {
  return trace === noTrace ? line : { ...trace, ...line }
}
