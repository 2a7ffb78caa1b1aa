import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { messageOf } from './api.ts'
import { button } from './elements.ts'
import { announce } from './notice.ts'

type Cursor = string | undefined

export type Paging<Answer> = {
  /** Returns the current page, or undefined before the first one and while one of another filter is read. */
  answer: () => Answer | undefined
  /**
   * Reads the first page, such as after a change of the filter. What another filter found is not shown under this one,
   * unless it is the same list in another order.
   */
  begin: (how?: { isSameList?: boolean }) => void
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

  async function goTo(next: readonly Cursor[]): Promise<void> {
    const shown = cursors.value
    cursors.value = next
    try {
      await again()
    } catch (error) {
      if (cursors.value !== next) return
      // the page that is still shown keeps its number
      if (answer.value) cursors.value = shown
      announce(messageOf(error), { isRefusal: true })
    }
  }

  function begin({ isSameList = false } = {}): void {
    if (!isSameList) answer.value = undefined
    void goTo([undefined])
  }

  function footer(words: Partial<Words> = {}): JSX.Element {
    const { order, back, onward } = { ...newestFirst, ...words }
    const pages = cursors.value
    const next = answer.value?.nextCursor
    const step = (text: string, isDisabled: boolean, to: readonly Cursor[]) =>
      button(text, () => void goTo(to), { look: 'small', isDisabled })
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
  return { answer: () => answer.value, begin, again, footer }
}
