const causesMax = 5

/** The parts of an error that may be logged. */
type DescribedError = {
  type: string
  message: string
  code?: string
  stack: string[]
  cause?: DescribedError
  /** The first error, and the one that followed while parts were closed. */
  errors?: DescribedError[]
}

/**
 * Returns an error as it may be logged: its type, message, code, stack frames, causes and the errors that it
 * suppressed, and no other member. Replaces a message that quotes its input (the JSON parser's, PostgreSQL's), because
 * the input is user data.
 */
export function describeError(error: unknown, causesLeft = causesMax): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: '[withheld]', stack: [] }
  const { code, cause } = error as Error & { code?: unknown }
  return {
    type: error.name,
    message: safeMessage(error),
    ...(typeof code === 'string' && { code }),
    stack: stackFrames(error),
    ...(cause !== undefined && causesLeft > 0 && { cause: describeError(cause, causesLeft - 1) }),
    ...(error instanceof SuppressedError &&
      causesLeft > 0 && {
        errors: [error.suppressed, error.error].map((each) => describeError(each, causesLeft - 1)),
      }),
  }
}

function safeMessage(error: Error): string {
  if (error instanceof SyntaxError) return 'unreadable input'
  const { severity, code, constraint, routine } = error as Partial<Record<string, unknown>> & Error
  if (severity === undefined || routine === undefined) return error.message
  return `PostgreSQL ${code}${constraint ? ` on ${constraint}` : ''} in ${routine}`
}

// A stack begins with the message, which may have several lines of any form.
function stackFrames({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message) + message.length
  return stack
    .slice(start)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())
}
