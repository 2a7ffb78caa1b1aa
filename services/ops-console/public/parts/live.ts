import { computed, signal } from '@preact/signals'
import type { LiveFacts } from '../../src/figures/live-facts.ts'
import { leadToSignIn } from './api.ts'
import { attempt } from './attempt.ts'
import { pollMsMax } from './repeat.ts'
import { readSession } from './session.ts'

/** A value as JSON carries it: times are text. */
type Wire<Value> = Value extends Date
  ? string
  : Value extends readonly (infer Item)[]
    ? Wire<Item>[]
    : Value extends object
      ? { [Name in keyof Value]: Wire<Value[Name]> }
      : Value

export type Facts = Wire<LiveFacts>

const staleMs = 5_000

/** What the console shows of the whole system, again each second. Absent until the first facts have arrived. */
export const facts = signal<Facts | undefined>()
/** Why no facts arrive. Empty while they do. */
export const silence = signal('')
export const isLive = computed(() => facts.value !== undefined && silence.value === '')

let events: EventSource | undefined
let lastAt = 0

/**
 * Receives the facts while the page is visible. A page in the background holds no connection, because a browser has
 * only a few for each server.
 */
export function beginLive(): void {
  document.addEventListener('visibilitychange', () => {
    openOrClose()
    // the session may have ended while the page was in the background
    if (!document.hidden) void attempt(readSession)
  })
  openOrClose()
  setInterval(() => void watch(), 1_000)
}

function openOrClose(): void {
  events?.close()
  events = undefined
  if (document.hidden) return
  lastAt = performance.now()
  events = new EventSource('/events')
  events.addEventListener('facts', ({ data }) => {
    lastAt = performance.now()
    silence.value = ''
    facts.value = JSON.parse(data)
  })
  events.addEventListener('signed-out', () => {
    events?.close()
    leadToSignIn()
  })
}

// After a refusal the browser never opens the stream again.
async function watch(): Promise<void> {
  if (document.hidden || performance.now() - lastAt < staleMs) return
  silence.value ||= 'No response. These figures are out of date.'
  if (events?.readyState !== EventSource.CLOSED) return
  lastAt = performance.now()
  // the stream is refused without a session
  await readSession().catch(() => {})
  const { isReady, reason } = await readHealth()
  silence.value = `No response. These figures are out of date. ${reason}`.trim()
  if (isReady) openOrClose()
}

export type Health = { checks: { name: string; ok: boolean; reason?: string }[] }

async function readHealth(): Promise<{ isReady: boolean; reason: string }> {
  try {
    const answer = await fetch('/health/ready', { signal: AbortSignal.timeout(pollMsMax) })
    const { checks }: Health = await answer.json()
    const failing = checks.filter(({ ok }) => !ok).map(({ name, reason }) => `${name}: ${reason}`)
    const reason = failing.length > 0 ? `Failing checks: ${failing.join('; ')}.` : ''
    return { isReady: answer.ok, reason }
  } catch {
    return { isReady: false, reason: 'Despatch does not respond.' }
  }
}
