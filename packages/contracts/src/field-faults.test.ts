import { expect, test } from 'vitest'
import { z } from 'zod'
import { fieldFaults } from './field-faults.ts'

test('each unknown member is reported, and marked as named by the caller', () => {
  const schema = z.strictObject({ one: z.string() })
  const input = { one: '', two: 2, 'one[]': '' }

  expect(fieldFaults(schema.safeParse(input).error!.issues, input)).toEqual([
    { field: 'two', code: 'Unknown', detail: 'two is unknown', isNamedByCaller: true },
    { field: 'one[]', code: 'Unknown', detail: 'one[] is unknown', isNamedByCaller: true },
  ])
})

test('a value that is not a UUID is reported in a sentence', () => {
  const schema = z.object({ one: z.uuid() })
  const input = { one: 'xyz' }

  expect(fieldFaults(schema.safeParse(input).error!.issues, input)).toEqual([
    { field: 'one', code: 'Pattern', detail: 'one must be a UUID' },
  ])
})
