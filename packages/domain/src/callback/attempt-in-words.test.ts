import { expect, test } from 'vitest'
import { attemptInWords } from './attempt-in-words.ts'
import { attemptOutcomes } from './attempt-outcome.ts'

const sentences: [Parameters<typeof attemptInWords>[0], string][] = [
  [{ outcome: 'delivered', httpStatus: 202 }, 'The receiver answered 202.'],
  [
    { outcome: 'refused', httpStatus: 503 },
    'The receiver answered 503, which does not accept the message.',
  ],
  [
    { outcome: 'redirect', httpStatus: 302 },
    'The receiver answered 302, a redirect. Redirects are not followed.',
  ],
  [
    { outcome: 'gone', httpStatus: 410 },
    'The receiver answered 410, so no more callbacks of this print job are sent.',
  ],
  [
    { outcome: 'tls_error', failure: 'CERT_HAS_EXPIRED' },
    'There was no TLS connection to the receiver, or its certificate is not valid (CERT_HAS_EXPIRED). Nothing was sent.',
  ],
  [
    { outcome: 'blocked_address' },
    'The name of the target has only addresses that may not be called. Nothing was sent.',
  ],
  [
    { outcome: 'unsendable' },
    'The target may not be called, or its credentials fit no header. Nothing was sent.',
  ],
  [
    { outcome: 'interrupted' },
    'Despatch stopped before it knew the outcome. The message may have arrived.',
  ],
  [
    { outcome: 'connection_refused', failure: 'ECONNREFUSED' },
    'The receiver refused the connection: nothing listens at its address and port. Nothing was sent.',
  ],
  [
    { outcome: 'connection_failed', failure: 'ECONNRESET' },
    'The receiver reset the connection (ECONNRESET). Nothing was sent.',
  ],
  [
    { outcome: 'connection_failed', failure: 'EMFILE' },
    'There was no connection to the receiver (EMFILE). Nothing was sent.',
  ],
  [
    { outcome: 'unknown', failure: 'ECONNRESET' },
    'The receiver reset the connection before it answered (ECONNRESET). The message may have arrived.',
  ],
  [
    { outcome: 'unknown', failure: 'UND_ERR_SOCKET' },
    'The receiver closed the connection before it answered (UND_ERR_SOCKET). The message may have arrived.',
  ],
  [
    { outcome: 'unknown', failure: 'HPE_INVALID_CONSTANT' },
    'The connection broke before the receiver answered (HPE_INVALID_CONSTANT). The message may have arrived.',
  ],
  [
    { outcome: 'unknown' },
    'The connection broke before the receiver answered. The message may have arrived.',
  ],
  [
    { outcome: 'timeout', failure: 'deadline' },
    'The receiver did not answer in time. The message may have arrived.',
  ],
  [
    { outcome: 'timeout', failure: 'deadline-unsent' },
    'There was no connection to the receiver in time. Nothing was sent.',
  ],
  [
    { outcome: 'timeout', failure: 'UND_ERR_CONNECT_TIMEOUT' },
    'There was no connection to the receiver in time (UND_ERR_CONNECT_TIMEOUT). Nothing was sent.',
  ],
  [
    { outcome: 'timeout', failure: 'UND_ERR_HEADERS_TIMEOUT' },
    'The receiver did not answer in time (UND_ERR_HEADERS_TIMEOUT). The message may have arrived.',
  ],
  [{ outcome: 'timeout' }, 'The receiver did not answer in time. The message may have arrived.'],
  [{ outcome: 'connection_failed' }, 'There was no connection to the receiver. Nothing was sent.'],
  [
    { outcome: 'dns_error', failure: 'ENOTFOUND' },
    'The name of the target was not found (ENOTFOUND). Nothing was sent.',
  ],
]

test.for(sentences)('%j is described as: %s', ([attempt, sentence]) => {
  expect(attemptInWords(attempt)).toBe(sentence)
})

test.for(attemptOutcomes)('%s has a sentence without placeholders', (outcome) => {
  expect(attemptInWords({ outcome, httpStatus: 500, failure: null })).toMatch(/^[A-Z].*\.$/)
  expect(attemptInWords({ outcome, httpStatus: 500, failure: null })).not.toMatch(/undefined|null/)
})
