/** The services that use the database. Each signs in with its own role. */
export const databaseServices = [
  'administration',
  'callbacks',
  'driver-find',
  'driver-sources',
  'fulfilment',
  'full-driver-enquiry',
  'ops-console',
  'pipeline',
  'print-request',
  'thirdparty-access',
  'uat',
  'vehicle-enquiry',
] as const
export type DatabaseService = (typeof databaseServices)[number]

/** Returns the name of a service's role, such as `despatch_print_request`. */
export function roleOf(service: DatabaseService): string {
  return `despatch_${service.replaceAll('-', '_')}`
}

/** Returns the address of the same database for a service's role with this password, whatever the owner signs in with. */
export function urlForService(url: string, service: DatabaseService, password: string): string {
  const own = new URL(url)
  own.username = roleOf(service)
  own.password = encodeURIComponent(password)
  own.searchParams.delete('auth')
  return own.href
}
