import {
  type DatabaseService,
  databaseServices,
  urlForService,
} from '@despatch/postgres/service-roles'

const password = 'of-every-service-in-tests'

/** The password of each service's login on the server of the tests. */
export const servicePasswords = Object.fromEntries(
  databaseServices.map((service) => [service, password]),
)

/** Returns the address with the login of a service. An address of Redis is returned unchanged. */
export function asService(url: string, service: DatabaseService): string {
  return url.startsWith('postgres') ? urlForService(url, service, password) : url
}
