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

Despatch properties describe a posted letter, on the print job (\`despatchProperties\`) and in its \`DESPATCHED\` callback.
Each has a unique \`key\` of 1 to ${despatchPropertyKeyCharactersMax} characters and a \`value\` of 1 to ${despatchPropertyValueCharactersMax}. Values are always text, even numbers and times.

${markdownTable(['key', 'value', 'meaning', 'set by'], registered.map(describe))}

- A well-known key with a value of another type is refused with a 400 that names the key. Any other key may have any
  text as its value.
- Consumers refuse a callback without ${requiredBy()}, and a callback with
  fewer than three properties.
- Despatch fills in the properties set by us that the provider omits. A provider reports properties in three places. For
  the same key, the document in a posting takes precedence over the item events of the document, and these over the
  posting as a whole.
- Times that Despatch fills in are in London time.
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

function requiredBy(): string {
  const keys = registered.flatMap(([key, { isRequired }]) => (isRequired ? [`\`${key}\``] : []))
  return new Intl.ListFormat('en-GB').format(keys)
}
