import {
  despatchPropertyKeyCharactersMax,
  despatchPropertyValueCharactersMax,
} from '@despatch/domain/print-run/despatch-properties'
import { z } from 'zod'
import { list } from '../list.ts'
import { customIssue, text } from '../text.ts'

const propertiesMax = 100

const despatchProperty = z
  .object({
    key: text({ min: 1, max: despatchPropertyKeyCharactersMax }),
    value: text({ min: 1, max: despatchPropertyValueCharactersMax }),
  })
  .check(({ value, issues }) => {
    if (value.key !== 'totalSheets' || /^[1-9]\d{0,5}$/.test(value.value)) return
    const message = 'must be the text of a whole number for the key totalSheets'
    issues.push({ ...customIssue({ code: 'Pattern', message }, value.value), path: ['value'] })
  })

export const despatchProperties = list(despatchProperty, { max: propertiesMax, unique: ['key'] })
  .exactOptional()
  .describe(
    'Told to the consumer. totalSheets, postageClass and mailingProduct are filled in where they are absent',
  )
