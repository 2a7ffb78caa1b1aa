/** An ID token that is signed and current, but was not issued for us or has an impossible time. */
export class UnfitIdToken extends Error {
  readonly claim: 'azp' | 'iat'

  constructor(claim: 'azp' | 'iat') {
    super(`The claim ${claim} of the ID token is not valid`)
    this.name = 'UnfitIdToken'
    this.claim = claim
  }
}

type CheckedClaims = { aud: string | readonly string[]; azp?: unknown; iat: number }

/**
 * Checks what the library leaves open. OpenID Connect Core 3.1.3.7: a party that is named must be this client, and with
 * several audiences one must be named. No token was issued in the future, but for the tolerance of the clocks. Throws
 * UnfitIdToken.
 */
export function checkIdToken(
  { aud, azp, iat }: CheckedClaims,
  {
    clientId,
    nowSeconds,
    toleranceSeconds,
  }: { clientId: string; nowSeconds: number; toleranceSeconds: number },
): void {
  const isOurs = azp === undefined ? [aud].flat().length === 1 : azp === clientId
  if (!isOurs) throw new UnfitIdToken('azp')
  if (iat > nowSeconds + toleranceSeconds) throw new UnfitIdToken('iat')
}
