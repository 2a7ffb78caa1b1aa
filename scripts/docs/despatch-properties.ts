import {
  despatchPropertyKeyCharactersMax,
  despatchPropertyValueCharactersMax,
} from '@despatch/domain/print-run/despatch-properties'
import {
  describeDespatchPropertyType,
  despatchPropertyRegistry,
  type RegisteredDespatchProperty,
} from '@despatch/domain/print-run/despatch-property-registry'
import { markdownTable } from './markdown-table.ts'

const registered: [string, RegisteredDespatchProperty][] = Object.entries(despatchPropertyRegistry)

/** Returns docs/despatch-properties.md: the well-known keys, from the registry. */
export function describeDespatchProperties(): string {
  return `# Despatch properties

<!-- Written by \`npm run docs\` from packages/domain/src/print-run/despatch-property-registry.ts: change it there. -->

What is told of a letter that was posted: on the print job (\`despatchProperties\`), and in its \`DESPATCHED\` callback. Each is a
\`key\` of 1 to ${despatchPropertyKeyCharactersMax} characters, which comes once, and a \`value\` of 1 to ${despatchPropertyValueCharactersMax}. Values are always text, numbers and times too.

${markdownTable(['key', 'value', 'meaning', 'told by'], registered.map(describe))}

- A well-known key whose value is not of its type is refused with a 400 that names it. Any other key is free: its value is any
  text.
- Consumers refuse a callback without ${insistedOn()}, and one with fewer than three properties.
- What is told by us is filled in where the provider leaves it out. A provider tells properties in three places. Where they tell
  the same key, the document in a posting goes before the item events of the document, and these before the posting as a whole.
- Times that we fill in are the time in London.
`
}

function describe([key, { type, meaning, filledBy }]: [string, RegisteredDespatchProperty]) {
  return [
    `\`${key}\``,
    describeDespatchPropertyType(type),
    meaning,
    filledBy === 'despatch' ? 'us, or the provider' : 'the provider',
  ]
}

function insistedOn(): string {
  const keys = registered.flatMap(([key, { isInsistedOn }]) => (isInsistedOn ? [`\`${key}\``] : []))
  return new Intl.ListFormat('en-GB').format(keys)
}
