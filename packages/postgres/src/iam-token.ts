import { Signer } from '@aws-sdk/rds-signer'
import { regionOf } from './iam-address.ts'

export type IamUser = { host: string; port: number; user: string }

/** No token could be made, so there was no connection. The code is PostgreSQL's for that. */
export class NoIamToken extends Error {
  override readonly name = 'NoIamToken'
  readonly code = '08001'
}

/** One for each address: it keeps the credentials until shortly before they expire. */
const signers = new Map<string, Signer>()

/**
 * Makes the token with which this user signs in to Amazon RDS. The server accepts it for 15 minutes, so each connection
 * takes a new one. Credentials and, unless the host names it, the region are those that the AWS SDK finds.
 */
export async function makeIamToken({ host, port, user }: IamUser): Promise<string> {
  const key = JSON.stringify([host, port, user])
  const region = regionOf(host)
  const signer =
    signers.get(key) ??
    new Signer({ hostname: host, port, username: user, ...(region && { region }) })
  signers.set(key, signer)
  try {
    return await signer.getAuthToken()
  } catch (cause) {
    throw new NoIamToken('There is no token of AWS IAM for the database', { cause })
  }
}
