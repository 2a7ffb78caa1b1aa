import { type ComponentChildren, h, type JSX } from 'preact'
import { empty, icon } from './elements.ts'

export type Column = {
  name: string
  /** `num` aligns to the right; `p3` is left out below 1100 px, and `p2` below 820 px. */
  class?: string
  /** The name is only read aloud. */
  isHidden?: boolean
  /** The rows are in the order of this column; the name is a button that reverses it. */
  sort?: { isAscending: boolean; reverse: () => void } | undefined
}

export type Table = {
  caption: string
  columns: readonly (Column | string)[]
  /** The first cell of a row names it. Null: the rows could not be read. */
  rows: readonly (readonly ComponentChildren[])[] | null | undefined
  empty?: ComponentChildren
  /** A class of each row, such as `on`. */
  rowClass?: (index: number) => string | undefined
  /** The cell that names its row. */
  nameIndex?: number
}

function headerOf({ name, class: kind = '', isHidden, sort }: Column): JSX.Element {
  const order = sort?.isAscending ? 'ascending' : 'descending'
  return h(
    'th',
    { scope: 'col', class: kind, 'aria-sort': sort && order },
    isHidden
      ? h('span', { class: 'vh' }, name)
      : sort
        ? h(
            'button',
            { type: 'button', class: `linkish sort ${order}`, onClick: sort.reverse },
            name,
            icon('down'),
          )
        : name,
  )
}

/** Returns a table without a visible caption. Where it does not fit, it scrolls, also by keyboard. */
export function table({
  caption,
  columns,
  rows,
  empty: whenEmpty = 'None.',
  rowClass,
  nameIndex = 0,
}: Table): JSX.Element {
  const described = columns.map((column) =>
    typeof column === 'string' ? { name: column } : column,
  )
  if (!rows) return empty('Not available.')
  if (rows.length === 0) return empty(whenEmpty)
  return h(
    'div',
    { class: 'scroll', tabIndex: 0, role: 'group', 'aria-label': `${caption}, scrolls` },
    h(
      'table',
      { 'aria-label': caption },
      h('thead', {}, h('tr', {}, described.map(headerOf))),
      h(
        'tbody',
        {},
        rows.map((cells, row) =>
          h(
            'tr',
            { class: rowClass?.(row) ?? '' },
            cells.map((cell, index) => {
              const kind = described[index]?.class ?? ''
              const content = cell ?? h('span', { class: 'none' }, '–')
              return index === nameIndex
                ? h('th', { scope: 'row', class: kind }, content)
                : h('td', { class: kind }, content)
            }),
          ),
        ),
      ),
    ),
  )
}
