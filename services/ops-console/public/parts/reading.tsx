import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { messageOf } from './api.ts'
import { Card, Skeleton } from './elements.tsx'
import { announce, retract } from './notice.ts'

const readEveryMs = 3_000

export type Reading<Facts> = {
  /** Returns the newest facts, or undefined before the first ones. A component that calls it is rendered with each. */
  facts: () => Facts | undefined
  /** Shows newer facts, such as the response to an action. */
  show: (facts: Facts) => void
  /**
   * Reads the facts again, for example after an action. Waits first until a read that is under way ends. Throws what
   * fails.
   */
  again: () => Promise<void>
  /** Returns what is in place of the facts before the first ones. It says why they could not be read. */
  absent: (title: string) => JSX.Element
}

/**
 * Reads facts now, and again every few seconds while the page is visible and they may still change. `standing` returns
 * a sentence about their state; each new sentence is announced.
 */
export function beginReading<Facts>({
  read,
  standing = () => '',
  mayChange = () => true,
}: {
  read: () => Promise<Facts>
  standing?: (facts: Facts) => string
  mayChange?: (facts: Facts) => boolean
}): Reading<Facts> {
  const facts = signal<Facts | undefined>(undefined)
  const failure = signal('')
  let shownTimes = 0
  let underWay: Promise<void> | undefined
  /** Whether the last read failed. */
  let isOld = false
  /** What the reader was told of it. */
  let remark = ''

  function show(newer: Facts): void {
    const shown = facts.value
    const isNews = isOld || !shown || standing(newer) !== standing(shown)
    facts.value = newer
    shownTimes += 1
    isOld = false
    retract(remark)
    if (isNews && standing(newer)) announce(standing(newer), { isUnseen: true })
  }

  /** A response to a read that began before an action is older than what the page shows, so it is dropped. */
  async function readOnce(): Promise<void> {
    const before = shownTimes
    try {
      const newer = await read()
      if (before === shownTimes) show(newer)
    } catch (error) {
      isOld = true
      throw error
    } finally {
      underWay = undefined
    }
  }

  function begin(): Promise<void> {
    underWay ??= readOnce()
    return underWay
  }

  async function again(): Promise<void> {
    await underWay?.catch(() => {})
    await begin()
  }

  async function poll(): Promise<void> {
    if (underWay !== undefined) return
    const isRepeated = isOld
    try {
      await begin()
    } catch (error) {
      const message = messageOf(error)
      failure.value = message
      remark = facts.value ? `${message} The data shown is out of date.` : message
      announce(remark, { isRefusal: true, isRepeated })
    }
  }

  const look = () => {
    if (document.hidden || (facts.value && !mayChange(facts.value))) return
    void poll()
  }
  void poll()
  setInterval(look, readEveryMs)
  document.addEventListener('visibilitychange', look)
  function absent(title: string) {
    if (!failure.value) return <Skeleton title={title} />
    return (
      <Card title={title} isPadded>
        <p>{failure.value}</p>
      </Card>
    )
  }

  return { facts: () => facts.value, show, again, absent }
}
