import { expect, test } from 'vitest'
import { type CallbackDestination, readDestination, writeDestination } from './destination.ts'

const destinations: CallbackDestination[] = [
  { target: 'https://example.com/s?token=%41%zz|"\\' },
  { target: 'https://example.com/é', authenticationHeader: 'Bearer "abc" \\ é' },
]

test.for(destinations)('%j is read back as it was written', (destination) => {
  expect(readDestination(writeDestination(destination))).toStrictEqual(destination)
})
