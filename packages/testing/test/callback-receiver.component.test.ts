import { expect, onTestFinished, test } from 'vitest'
import { startCallbackReceiver } from '../src/callback-receiver.ts'

async function aReceiver() {
  const receiver = await startCallbackReceiver()
  onTestFinished(receiver.stop)
  return receiver
}

const post = (url: string, body: string) => fetch(url, { method: 'POST', body })

test('keeps each call, with JSON parsed', async () => {
  const receiver = await aReceiver()

  await post(`${receiver.url}/one`, '{"id":1}')
  await post(receiver.url, 'plain')

  expect(receiver.calls).toMatchObject([
    { method: 'POST', path: '/callbacks/one', body: { id: 1 } },
    { method: 'POST', path: '/callbacks', body: 'plain' },
  ])
})

test('answers in the order it was told, and then like the last', async () => {
  const receiver = await aReceiver()
  receiver.answerWith({ status: 503, headers: { 'retry-after': '7' } }, { status: 204 })

  const answers = []
  for (let call = 0; call < 3; call++) {
    const { status, headers } = await post(receiver.url, '')
    answers.push({ status, retryAfter: headers.get('retry-after') })
  }

  expect(answers).toEqual([
    { status: 503, retryAfter: '7' },
    { status: 204, retryAfter: null },
    { status: 204, retryAfter: null },
  ])
})

test('closes the connection if configured, and keeps the call', async () => {
  const receiver = await aReceiver()
  receiver.answerWith({ hangUp: true })

  await expect(post(receiver.url, 'x')).rejects.toThrow()

  expect(receiver.calls).toMatchObject([{ body: 'x' }])
})

test('waits for a call that fits, past or to come', async () => {
  const receiver = await aReceiver()

  const waiting = receiver.received(({ body }) => body === 'second')
  await post(receiver.url, 'first')
  await post(receiver.url, 'second')

  expect((await waiting).body).toBe('second')
  expect((await receiver.received(({ body }) => body === 'first')).body).toBe('first')
})

test('does not wait for ever', async () => {
  const receiver = await aReceiver()

  const waiting = receiver.received(() => true, { deadlineMs: 50, message: 'the callback comes' })

  await expect(waiting).rejects.toThrow('Not within 50 ms: the callback comes')
})
