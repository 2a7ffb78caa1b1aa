import { writeDestination } from '@despatch/domain/callback/destination'
import { expect, test } from 'vitest'
import { createOpenDestination, credentialsIn } from './destination.ts'

const openDestination = createOpenDestination({
  unseal: (sealed) => Buffer.from(sealed).toString(),
})

test('opens a sealed destination', () => {
  const destination = { target: 'https://a.example/?t=1', authenticationHeader: 'Bearer x' }
  const destinationSealed = Buffer.from(writeDestination(destination))

  expect(openDestination({ destinationSealed })).toEqual(destination)
})

test('throws without a sealed destination', () => {
  expect(() => openDestination({ destinationSealed: null })).toThrow('no destination')
})

test('finds credentials in the header, its token, the query values and long path segments', () => {
  const target = 'https://a.example/hooks/T0123456789abcdef?token=a%2Fb&plain#x'

  expect(credentialsIn({ target, authenticationHeader: 'Bearer SECRET' }).toSorted()).toEqual(
    ['Bearer SECRET', 'SECRET', 'T0123456789abcdef', 'a%2Fb', 'a/b', 'plain'].toSorted(),
  )
  expect(credentialsIn({ target: 'https://a.example/' })).toEqual([])
})
