import { element } from './dom.js'

/**
 * Returns a table with a caption. Each cell is text or nodes, and the first one names its row. If `rows` is null, the
 * table says that they could not be read. Wide tables scroll horizontally, also by keyboard; a fitting one wraps its
 * cells first.
 */
export function table({
  caption,
  columns,
  rows,
  empty = 'None.',
  note,
  isText = false,
  isFitting = false,
}) {
  const head = columns.map((column) => element('th', { scope: 'col' }, column))
  const body = (rows ?? []).map(([name, ...cells]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      cells.map((cell) => element('td', {}, cell ?? '–')),
    ),
  )
  const remark = rows ? (rows.length === 0 ? empty : null) : 'Not available.'
  return element(
    'section',
    {
      class: ['card', isText && 'text', isFitting && 'fitting'].filter(Boolean).join(' '),
      'aria-label': caption,
    },
    element('h2', {}, caption),
    element(
      'div',
      { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': `${caption}, scrolls` },
      element(
        'table',
        { 'aria-label': caption },
        element('thead', {}, element('tr', {}, head)),
        element('tbody', {}, body),
      ),
    ),
    remark && element('p', {}, remark),
    note && element('p', { class: 'note' }, note),
  )
}
