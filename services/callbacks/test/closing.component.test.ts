import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { renderRange } from '@despatch/domain/callback/may-call'
import { eventually } from '@despatch/testing/eventually'
import { shared } from '@despatch/testing/shared'
import { expect, onTestFinished, test } from 'vitest'
import { startDelivery } from './a-delivery.ts'
import { loopback } from './receivers.ts'
import { secretKey, seedCallback } from './seed-callback.ts'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** Longer than the usual grace period of supervisors and services, and shorter than a call may take. */
const slowMs = 11_000

const delivery = await shared(startDelivery())

test('a call in progress at SIGTERM is made once and recorded as delivered', async () => {
  const receiver = await delivery.startReceiver()
  receiver.answerWith({ delayMs: slowMs })
  const child = spawn(process.execPath, [main], {
    env: {
      ...process.env,
      DATABASE_URL: delivery.database.serviceUrl('callbacks'),
      DESPATCH_KEY_CALLBACKS: secretKey,
      DESPATCH_CALLBACK_ALLOW: loopback.map(renderRange).join(','),
      PORT: '0',
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  const { id } = await seedCallback(delivery.database.db, {
    target: receiver.url,
    retryParams: { enabled: true, maxRetryWindow: 60 },
  })
  await eventually(() => receiver.calls.length === 1, { message: 'the call is under way' })

  child.kill('SIGTERM')

  expect((await exited)[0]).toBe(0)
  expect(await delivery.ended(id)).toEqual({ state: 'DELIVERED', endReason: null, attempts: 1 })
  expect(receiver.calls).toHaveLength(1)
})
