import { expect, test } from 'vitest'
import { checkIdToken } from './check-id-token.ts'

const settings = { clientId: 'despatch', nowSeconds: 1_000, toleranceSeconds: 30 }

test.each([
  [{ aud: 'despatch', iat: 1_000 }, undefined],
  [{ aud: ['despatch'], iat: 1_000 }, undefined],
  [{ aud: 'despatch', azp: 'despatch', iat: 1_000 }, undefined],
  [{ aud: ['despatch', 'another'], azp: 'despatch', iat: 1_000 }, undefined],
  [{ aud: ['despatch', 'another'], iat: 1_000 }, 'azp'],
  [{ aud: ['despatch', 'another'], azp: 'another', iat: 1_000 }, 'azp'],
  [{ aud: 'despatch', azp: 'another', iat: 1_000 }, 'azp'],
  [{ aud: 'despatch', azp: ['despatch'], iat: 1_000 }, 'azp'],
  [{ aud: 'despatch', iat: 1_030 }, undefined],
  [{ aud: 'despatch', iat: 1_031 }, 'iat'],
])('in the claims %j the invalid claim is %s', (claims, claim) => {
  const check = () => checkIdToken(claims, settings)

  if (claim === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(expect.objectContaining({ claim }))
})
