import { markdownList, wrap } from '@despatch/cli/markdown'
import {
  despatchPropertyKeyCharactersMax,
  despatchPropertyValueCharactersMax,
} from '@despatch/domain/print-run/despatch-properties'
import {
  describeDespatchPropertyType,
  despatchPropertyRegistry,
  type RegisteredDespatchProperty,
} from '@despatch/domain/print-run/despatch-property-registry'

const registered: [string, RegisteredDespatchProperty][] = Object.entries(despatchPropertyRegistry)

/** Returns docs/despatch-properties.md: the well-known keys, from the registry. */
export function describeDespatchProperties(): string {
  return `# Despatch properties

<!-- Written by \`npm run docs\`. Change packages/domain/src/print-run/despatch-property-registry.ts. -->

${wrap(`Despatch properties describe a posted letter, on the print job (\`despatchProperties\`) and in its \`DESPATCHED\`
callback. Each has a unique \`key\` of 1 to ${despatchPropertyKeyCharactersMax} characters and a \`value\` of 1 to
${despatchPropertyValueCharactersMax}. Values are always text, even numbers and times.`)}

## Set by Despatch, unless the provider sets them

${listFilledBy('despatch')}

## Set by the provider

${listFilledBy('provider')}

## Rules

- A well-known key with a value of another type is refused with a 400 that names the key. Any other key may have any
  text as its value.
${wrap(`Consumers refuse a callback without ${requiredBy()}, and a callback with fewer than three properties.`, '- ', '  ')}
- Despatch sets the properties of the first list that the provider omits. A provider reports properties in three places.
  For the same key, the document in a posting takes precedence over the item events of the document, and these over the
  posting as a whole.
- Times that Despatch sets are in London time.
`
}

function listFilledBy(party: RegisteredDespatchProperty['filledBy']): string {
  const properties = registered.filter(([, { filledBy }]) => filledBy === party)
  return markdownList(
    properties.map(([key, { type, meaning }]) => ({
      text: `\`${key}\`: ${meaning}`,
      below: [`value: ${describeDespatchPropertyType(type)}`],
    })),
  )
}

function requiredBy(): string {
  const keys = registered.flatMap(([key, { isRequired }]) => (isRequired ? [`\`${key}\``] : []))
  return new Intl.ListFormat('en-GB').format(keys)
}
