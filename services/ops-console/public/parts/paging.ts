import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { attempt } from './attempt.ts'
import { button } from './elements.ts'
import { announce } from './notice.ts'

type Cursor = string | undefined

export type Paging<Answer> = {
  /** Returns the current page, or undefined before the first one. */
  answer: () => Answer | undefined
  /** Reads the first page, such as after a change of the filter. */
  begin: () => void
  /** Reads the current page again. Throws a Refusal. */
  again: () => Promise<void>
  /** Returns the foot of the list, with the buttons to the other pages. */
  footer: (words?: Partial<Words>) => JSX.Element
}

type Words = { order: string; back: string; onward: string }

const newestFirst: Words = { order: 'newest first', back: 'Newer', onward: 'Older' }

/**
 * Reads a list page by page, each with the cursor that came with the page before. `told` returns what screen readers
 * announce of a page. A response to an earlier request is dropped.
 */
export function beginPaging<Answer extends { nextCursor?: Cursor }>(
  read: (cursor: Cursor) => Promise<Answer>,
  told: (answer: Answer) => string,
): Paging<Answer> {
  /** The cursors of the pages up to the current one. The first page has none. */
  const cursors = signal<readonly Cursor[]>([undefined])
  const answer = signal<Answer | undefined>()

  async function again(): Promise<void> {
    const asked = cursors.value
    const found = await read(asked.at(-1))
    if (asked !== cursors.value) return
    answer.value = found
    announce(told(found), { isUnseen: true })
  }

  function goTo(next: readonly Cursor[]): void {
    cursors.value = next
    void attempt(again)
  }

  function footer(words: Partial<Words> = {}): JSX.Element {
    const { order, back, onward } = { ...newestFirst, ...words }
    const pages = cursors.value
    const next = answer.value?.nextCursor
    const step = (text: string, isDisabled: boolean, to: readonly Cursor[]) =>
      button(text, () => goTo(to), { look: 'small', isDisabled })
    return h(
      'footer',
      {},
      h('span', {}, `Page ${pages.length}, ${order}`),
      h(
        'span',
        { class: 'right' },
        step(back, pages.length === 1, pages.slice(0, -1)),
        step(onward, !next, [...pages, next]),
      ),
    )
  }
  return { answer: () => answer.value, begin: () => goTo([undefined]), again, footer }
}
