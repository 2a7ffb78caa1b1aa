import type { ComponentChildren } from 'preact'
import { Card, type CardProps, Icon } from './elements.tsx'

export type Column = {
  name: string
  /** `num` aligns to the right; `p3` is left out below 1100 px, and `p2` below 820 px. */
  class?: string
  /** The name is only read aloud. */
  isHidden?: boolean
  /** The rows are in the order of this column; the name is a button that reverses it. */
  sort?: { isAscending: boolean; reverse: () => void } | undefined
}

type TableProps = {
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

function headerOf({ name, class: kind = '', isHidden, sort }: Column) {
  const order = sort?.isAscending ? 'ascending' : 'descending'
  return (
    <th scope="col" class={kind} aria-sort={sort && order}>
      {isHidden ? (
        <span class="vh">{name}</span>
      ) : sort ? (
        <button type="button" class={`linkish sort ${order}`} onClick={sort.reverse}>
          {name}
          <Icon name="down" />
        </button>
      ) : (
        name
      )}
    </th>
  )
}

/** A table without a visible caption. Where it does not fit, it scrolls, also by keyboard. */
export function Table({
  caption,
  columns,
  rows,
  empty: whenEmpty = 'None.',
  rowClass,
  nameIndex = 0,
}: TableProps) {
  const described = columns.map((column) =>
    typeof column === 'string' ? { name: column } : column,
  )
  if (!rows) return <p class="empty">Not available.</p>
  if (rows.length === 0) return <p class="empty">{whenEmpty}</p>
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={`${caption}, scrolls`}>
      <table aria-label={caption}>
        <thead>
          <tr>{described.map(headerOf)}</tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr class={rowClass?.(row) ?? ''}>
              {cells.map((cell, index) => {
                const kind = described[index]?.class ?? ''
                const content = cell ?? <span class="none">–</span>
                return index === nameIndex ? (
                  <th scope="row" class={kind}>
                    {content}
                  </th>
                ) : (
                  <td class={kind}>{content}</td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type TableCardProps = Omit<CardProps, 'class' | 'isPadded' | 'children'> &
  Omit<TableProps, 'caption'>

/** A section whose heading is the caption of its table. */
export function TableCard({ title, meta, right, footer, ...table }: TableCardProps) {
  return (
    <Card title={title} meta={meta} right={right} footer={footer}>
      <Table caption={title} {...table} />
    </Card>
  )
}
