import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { messageOf } from './api.ts'
import { Button, Card, Skeleton } from './elements.tsx'
import { announce } from './notice.ts'

type Cursor = string | undefined

type Paging<Answer> = {
  /** Returns the current page, or undefined before the first one and while one of another filter is read. */
  answer: () => Answer | undefined
  /**
   * Reads the first page, such as after a change of the filter. What another filter found is not shown under this one,
   * unless it is the same list in another order.
   */
  begin: (how?: { isSameList?: boolean }) => void
  /** Reads the current page again. Throws a Refusal. */
  again: () => Promise<void>
  /** Returns what is in place of the list before its first page, or after that page could not be read. */
  absent: (title: string) => JSX.Element
  /** Returns whether there is another page before or after the current one. */
  hasOthers: () => boolean
  /** Returns the foot of the list, with the buttons to the other pages. */
  footer: (words?: Partial<Words>) => JSX.Element
}

type Words = { order: string; back: string; onward: string }

const newestFirst: Words = { order: 'newest first', back: 'Newer', onward: 'Older' }

/**
 * Reads a list page by page, each with the cursor that came with the page before. `told` returns what screen readers
 * announce of a page. The response to any request but the latest is dropped, and so is its failure.
 */
export function beginPaging<Answer extends { nextCursor?: Cursor }>(
  read: (cursor: Cursor) => Promise<Answer>,
  told: (answer: Answer) => string,
): Paging<Answer> {
  /** The page on screen, with the cursors of the pages up to it. The first page has none. */
  const shown = signal<{ cursors: readonly Cursor[]; answer: Answer } | undefined>()
  const isReading = signal(false)
  const failure = signal('')
  let wanted: readonly Cursor[] = [undefined]
  /** Whether the page on screen is of another order than the one that is wanted, so its cursors lead nowhere. */
  let isOtherOrder = false
  let requests = 0

  async function readPage(cursors: readonly Cursor[]): Promise<void> {
    requests += 1
    const request = requests
    wanted = cursors
    isReading.value = true
    failure.value = ''
    try {
      const answer = await read(cursors.at(-1))
      if (request !== requests) return
      shown.value = { cursors, answer }
      isOtherOrder = false
      announce(told(answer), { isUnseen: true })
    } catch (error) {
      if (request !== requests) return
      if (isOtherOrder) shown.value = undefined
      // the page that is still on screen keeps its number
      if (shown.value) wanted = shown.value.cursors
      else failure.value = messageOf(error)
      throw error
    } finally {
      if (request === requests) isReading.value = false
    }
  }

  async function goTo(cursors: readonly Cursor[]): Promise<void> {
    try {
      await readPage(cursors)
    } catch (error) {
      announce(messageOf(error), { isRefusal: true })
    }
  }

  function begin({ isSameList = false } = {}): void {
    if (!isSameList) shown.value = undefined
    isOtherOrder = isSameList
    void goTo([undefined])
  }

  function absent(title: string) {
    if (!failure.value) return <Skeleton title={title} />
    const retry = (
      <Button onClick={() => void goTo(wanted)} icon="redo">
        Try again
      </Button>
    )
    return (
      <Card title={title} isPadded>
        <p>{failure.value}</p>
        {retry}
      </Card>
    )
  }

  function footer(words: Partial<Words> = {}) {
    const { order, back, onward } = { ...newestFirst, ...words }
    const pages = shown.value?.cursors ?? [undefined]
    const next = shown.value?.answer.nextCursor
    const step = (text: string, isDisabled: boolean, to: readonly Cursor[]) => (
      // a second click while the page is read would skip a page
      <Button onClick={() => isReading.value || void goTo(to)} look="small" isDisabled={isDisabled}>
        {text}
      </Button>
    )
    return (
      <footer>
        <span>{isReading.value ? 'Reading …' : `Page ${pages.length}, ${order}`}</span>
        <span class="right">
          {step(back, pages.length === 1, pages.slice(0, -1))}
          {step(onward, !next, [...pages, next])}
        </span>
      </footer>
    )
  }
  return {
    answer: () => shown.value?.answer,
    begin,
    again: () => readPage(wanted),
    absent,
    hasOthers: () =>
      Boolean(shown.value?.answer.nextCursor) || (shown.value?.cursors.length ?? 1) > 1,
    footer,
  }
}
