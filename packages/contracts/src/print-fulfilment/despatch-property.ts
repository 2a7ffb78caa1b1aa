import {
  despatchPropertyKeyCharactersMax,
  despatchPropertyValueCharactersMax,
} from '@despatch/domain/print-run/despatch-properties'
import { despatchPropertyFault } from '@despatch/domain/print-run/despatch-property-registry'
import { z } from 'zod'
import { list } from '../list.ts'
import { customIssue, text } from '../text.ts'

const propertiesMax = 100

export const despatchPropertySchema = z
  .object({
    key: text({ min: 1, max: despatchPropertyKeyCharactersMax }),
    value: text({ min: 1, max: despatchPropertyValueCharactersMax }),
  })
  .check(({ value, issues }) => {
    const message = despatchPropertyFault(value.key, value.value)
    if (message === undefined) return
    issues.push({ ...customIssue({ code: 'Pattern', message }, value.value), path: ['value'] })
  })

export const despatchProperties = list(despatchPropertySchema, {
  max: propertiesMax,
  unique: ['key'],
})
  .exactOptional()
  .describe(
    'Shown to the consumer. If totalSheets, postageClass or mailingProduct is absent, it is filled in. The value of ' +
      'a well-known key has the type in docs/despatch-properties.md',
  )
