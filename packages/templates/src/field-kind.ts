/** What a field holds. It decides how the text of a custom parameter is read, and what the template gets. */
export type FieldKind =
  | { kind: 'text'; lengthMin: number; lengthMax: number; choices?: readonly string[] }
  | { kind: 'number'; least: number; most: number }
  | { kind: 'money' }
  | { kind: 'date' }
  | { kind: 'yes-or-no' }
  | { kind: 'list'; lengthMin: number; lengthMax: number; items: FieldKind }
  | Group

/** Named values. `optional` lists the names that a letter may leave out. */
export type Group = {
  kind: 'group'
  members: Readonly<Record<string, FieldKind>>
  optional: readonly string[]
}
