import { context, trace } from '@opentelemetry/api'
import { type DestinationStream, type Logger, pino } from 'pino'
import { describeError } from './describe-error.ts'
import { withheld, withheldNames, withholdNested } from './withhold.ts'

export type { DestinationStream as LogDestination, Logger } from 'pino'

type LoggerOptions = {
  service: string
  level?: string
  /** Destination of the lines. Default: standard output. */
  destination?: DestinationStream
}

const serializers = {
  ...Object.fromEntries([...withheldNames].map((name) => [name, () => withheld])),
  err: describeError,
  error: describeError,
}

/**
 * Creates the logger of one service. Write one line per event, named noun.verb, with ids, outcome and duration:
 * `log.info({ printJobKey, durationMs }, 'print-job.moved')`. Errors belong in `err`. A line that is written within a
 * span has its `traceId`.
 */
export function createLogger({ service, level = 'info', destination }: LoggerOptions): Logger {
  const options = {
    level,
    base: { service },
    serializers,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: withholdNested,
    },
    mixin: traceOfLine,
    mixinMergeStrategy: joinLine,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  }
  // Asynchronous: a line waits for the one before it, and does not delay the request. Remaining lines are written when
  // the process exits.
  const log: Logger = pino(options, destination ?? pino.destination({ dest: 1, sync: false }))
  // Children inherit this. The library applies no formatter to what a child carries.
  const createChild = log.child
  log.child = function (this: Logger, bindings, childOptions) {
    return createChild.call(this, withholdNested(bindings), childOptions)
  } as Logger['child']
  return log
}

const noTrace = {}

function traceOfLine(): object {
  const traceId = activeTraceId()
  return traceId === undefined ? noTrace : { traceId }
}

/** Most lines have no trace and are returned unchanged. */
function joinLine(line: object, trace: object): object {
  return trace === noTrace ? line : { ...trace, ...line }
}

/** Returns the trace id of the active span, or undefined. */
function activeTraceId(): string | undefined {
  return trace.getSpan(context.active())?.spanContext().traceId
}
