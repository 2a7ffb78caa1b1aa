const parameter = 'auth'
const method = 'aws-iam'

/** Returns whether the connections of this address sign in with tokens of AWS IAM: `?auth=aws-iam`. */
export function signsInByIam(address: string | undefined): boolean {
  return parametersOf(address)?.[parameter] === method
}

/** Throws if the address asks for tokens of IAM and cannot be used in that way. */
export function refuseIamFault(address: string | undefined): void {
  const fault = address && findIamFault(address)
  if (fault) throw new Error(`The address of the database ${fault}`)
}

/** Returns why an address that asks for tokens of IAM cannot be used, or undefined if nothing is wrong with it. */
export function findIamFault(address: string): string | undefined {
  const parameters = parametersOf(address)
  if (parameters?.[parameter] === undefined) return undefined
  if (parameters[parameter] !== method)
    return `must have ${parameter}=${method}, or no ${parameter}`
  const { username, password } = new URL(address)
  if (username === '') return `with ${parameter}=${method} must name the user`
  if (password !== '' || parameters.password) {
    return `with ${parameter}=${method} must have no password`
  }
  // The token is sent as it is, so the server must be the right one.
  if (parameters.sslmode !== 'verify-full' || parameters.ssl !== undefined) {
    return `with ${parameter}=${method} must have sslmode=verify-full`
  }
  return undefined
}

/** Returns the region in the host name of an instance, a cluster or a proxy of Amazon RDS. */
export function regionOf(host: string): string | undefined {
  return /\.([a-z]{2}(?:-[a-z]+)+-\d)\.rds\.amazonaws\.com(?:\.cn)?$/.exec(host)?.[1]
}

/** As the driver reads them: the last one of a name counts. */
function parametersOf(address = ''): Partial<Record<string, string>> | undefined {
  const url = URL.parse(address)
  return url ? Object.fromEntries(url.searchParams) : undefined
}
