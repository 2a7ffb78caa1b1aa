import type { AttemptOutcome } from './attempt-outcome.ts'

type Attempt = { outcome: AttemptOutcome; httpStatus?: number | null; failure?: string | null }

/** Says in a sentence how an attempt ended, for its consumer and for operators. Contains no message of a receiver. */
export function attemptInWords({ outcome, httpStatus, failure }: Attempt): string {
  switch (outcome) {
    case 'delivered':
      return `The receiver answered ${httpStatus}.`
    case 'refused':
      return `The receiver answered ${httpStatus}, which does not accept the message.`
    case 'redirect':
      return `The receiver answered ${httpStatus}, a redirect. Redirects are not followed.`
    case 'gone':
      return 'The receiver answered 410, so no more callbacks of this print job are sent.'
    case 'timeout':
      return timeoutInWords(failure)
    case 'dns_error':
      return `The name of the target was not found${code(failure)}. Nothing was sent.`
    case 'connection_refused':
      return 'The receiver refused the connection: nothing listens at its address and port. Nothing was sent.'
    case 'connection_failed':
      return `${connectionFailures[failure ?? ''] ?? `There was no connection to the receiver${code(failure)}`}. Nothing was sent.`
    case 'tls_error':
      return `There was no TLS connection to the receiver, or its certificate is not valid${code(failure)}. Nothing was sent.`
    case 'blocked_address':
      return 'The name of the target has only addresses that may not be called. Nothing was sent.'
    case 'unsendable':
      return 'The target may not be called, or its credentials fit no header. Nothing was sent.'
    case 'unknown':
      return `${brokenAnswers[failure ?? ''] ?? `The connection broke before the receiver answered${code(failure)}`}. The message may have arrived.`
    case 'interrupted':
      return 'Despatch stopped before it knew the outcome. The message may have arrived.'
  }
}

function timeoutInWords(failure: string | null | undefined): string {
  const known = failure?.startsWith('deadline') ? '' : code(failure)
  return unsentTimeouts.includes(failure ?? '')
    ? `There was no connection to the receiver in time${known}. Nothing was sent.`
    : `The receiver did not answer in time${known}. The message may have arrived.`
}

const unsentTimeouts = ['deadline-unsent', 'UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']

const connectionFailures: Partial<Record<string, string>> = {
  ECONNRESET: 'The receiver reset the connection (ECONNRESET)',
  EHOSTUNREACH: 'The network has no way to the receiver (EHOSTUNREACH)',
  ENETUNREACH: 'The network has no way to the receiver (ENETUNREACH)',
}

const brokenAnswers: Partial<Record<string, string>> = {
  ECONNRESET: 'The receiver reset the connection before it answered (ECONNRESET)',
  EPIPE: 'The receiver closed the connection before it had the whole request (EPIPE)',
  UND_ERR_SOCKET: 'The receiver closed the connection before it answered (UND_ERR_SOCKET)',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too long (UND_ERR_HEADERS_OVERFLOW)',
  HTTPParserError: 'The answer is not valid HTTP (HTTPParserError)',
  length: 'The answer is too long',
  informational: 'The receiver sent too many informational answers, and no final one',
}

/** Codes of errors tell more to those who know them. */
function code(failure: string | null | undefined): string {
  return failure ? ` (${failure})` : ''
}
