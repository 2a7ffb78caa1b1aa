import type { CallbackSummaryWithLogResponse } from '@despatch/contracts/administration/callback'
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, withQuery } from '../parts/api.ts'
import { attempt } from '../parts/attempt.ts'
import { CallbackChip } from '../parts/chips.tsx'
import { Button, Card } from '../parts/elements.tsx'
import { duration } from '../parts/format.ts'
import { announce } from '../parts/notice.ts'
import { whyNotForMe } from '../parts/session.ts'

type Callback = CallbackSummaryWithLogResponse

const readEveryMs = 1_000

const sent = signal<{ callbackId: string; origin: string } | undefined>()
const answer = signal<Callback | undefined>()

/** Sends a consumer one test callback, and shows what its receiver answers. */
export function TestMessage({ path }: { path: string }) {
  const { callbackId, origin } = sent.value ?? {}
  const isWaiting = callbackId !== undefined && !isOver(answer.value)
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => void attempt(readAnswer), readEveryMs)
    return () => clearInterval(timer)
  }, [isWaiting])
  const whyNot = whyNotForMe('sendTestCallback')
  return (
    <Card title="Test message" isPadded>
      <p class="below">Sends one signed test callback. It names no letter and no person.</p>
      {whyNot ?? (
        <Button onClick={() => void attempt(() => send(path))} icon="send" isDisabled={isWaiting}>
          Send a test message
        </Button>
      )}
      {callbackId && origin && answered(callbackId, origin)}
    </Card>
  )
}

async function send(path: string): Promise<void> {
  answer.value = undefined
  sent.value = await ask('POST', `${path}/test-callback`, {})
  announce('The test message is sent.')
}

async function readAnswer(): Promise<void> {
  const callbackId = sent.value?.callbackId ?? ''
  const read = await ask<Callback>('GET', `/callbacks/${encodeURIComponent(callbackId)}`)
  if (callbackId !== sent.value?.callbackId) return
  answer.value = read
  if (isOver(read)) announce(`Test message: ${outcomeOf(read)}.`)
}

function isOver(callback: Callback | undefined): boolean {
  return callback?.status === 'DELIVERED' || callback?.status === 'DEAD'
}

function outcomeOf({ status, log }: Callback): string {
  const last = log.at(-1)
  if (!last) return status.toLowerCase()
  const what = last.httpStatus ? `answered ${last.httpStatus}` : last.outcome.replaceAll('_', ' ')
  return `${what} in ${duration(last.durationMs)}`
}

function answered(callbackId: string, origin: string) {
  const read = answer.value
  return (
    <p>
      {read ? (
        <>
          <CallbackChip state={read.status} /> {outcomeOf(read)},{' '}
        </>
      ) : (
        'Waiting for an answer of '
      )}
      <a href={withQuery('/callbacks', { callback: callbackId })}>{origin}</a>
    </p>
  )
}
