import { setTimeout as pause } from 'node:timers/promises'
import {
  receiveCallback as operation,
  type ReceiverBehaviour,
  uatPrefix,
} from '@despatch/contracts/uat/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'

export type ReceiveCallbackContext = {
  /** How long a slow response takes. */
  slowMs: number
  /** Ends slow responses that are under way. */
  closing: AbortSignal
}

const slowAnswersMax = 100

type Answer = {
  status: 204 | 307 | 400 | 410 | 429 | 500
  headers?: Readonly<Record<string, string>>
}

const answers: Record<ReceiverBehaviour, Answer> = {
  204: { status: 204 },
  400: { status: 400 },
  410: { status: 410 },
  429: { status: 429, headers: { 'retry-after': '10' } },
  500: { status: 500 },
  slow: { status: 204 },
  redirect: { status: 307, headers: { location: `${uatPrefix}/receiver/204` } },
}

/** POST /uat/receiver/{behaviour}: responds as the path says, and stores nothing of the callback. */
export function receiveCallback(api: Api, { slowMs, closing }: ReceiveCallbackContext): void {
  let slowAnswers = 0

  async function waitLong(): Promise<void> {
    if (slowAnswers >= slowAnswersMax) {
      throw new Problem('unavailable', 'Too many slow responses are in progress')
    }
    slowAnswers += 1
    try {
      await pause(slowMs, undefined, { signal: closing })
    } catch {
      throw new Problem('unavailable', 'The service is shutting down')
    } finally {
      slowAnswers -= 1
    }
  }

  api.route({
    ...operation,
    config: { open: true },
    handler: async ({ params: { behaviour } }, reply) => {
      if (behaviour === 'slow') await waitLong()
      const { status, headers = {} } = answers[behaviour]
      return reply
        .code(status)
        .headers(headers)
        .serializer(() => '')
        .send(null)
    },
  })
}
