import { expect, test } from 'vitest'
import { z } from 'zod'
import { fieldFaults } from './field-faults.ts'

test('a value that is not a UUID is reported in a sentence', () => {
  const schema = z.object({ one: z.uuid() })
  const input = { one: 'xyz' }

  expect(fieldFaults(schema.safeParse(input).error!.issues, input)).toEqual([
    { field: 'one', code: 'Pattern', detail: 'one must be a UUID' },
  ])
})
