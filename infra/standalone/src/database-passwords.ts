import { createHmac } from 'node:crypto'
import {
  type DatabaseService,
  databaseServices,
  urlForService,
} from '@despatch/postgres/service-roles'
import { z } from 'zod'

/** The password of each service's login to the database. */
type DatabasePasswords = Readonly<Record<DatabaseService, string>>

const message = `must be service=password, separated by spaces, for each of ${databaseServices.join(', ')}`
const entry = /^([a-z-]+)=([!-~]{12,})$/

/** The setting DESPATCH_DATABASE_PASSWORDS. */
export const databasePasswordsSetting = {
  DESPATCH_DATABASE_PASSWORDS: z
    .string()
    .transform((text, context): DatabasePasswords => {
      const entries = text.trim().split(/\s+/)
      const passwords = Object.fromEntries(
        entries.map((each) => entry.exec(each)?.slice(1) ?? ['', '']),
      )
      const isComplete =
        entries.length === databaseServices.length &&
        databaseServices.every((service) => passwords[service])
      if (!isComplete) context.addIssue({ code: 'custom', message })
      return passwords as DatabasePasswords
    })
    .optional()
    .describe(
      'passwords of the services for the database, as service=password, of at least 12 characters: npm run migrate creates their logins',
    ),
}

/**
 * Derives the passwords of the services for an embedded server from that of its owner. So they need no file, and a
 * service cannot calculate the password of another one.
 */
export function derivePasswords(ownerUrl: string): DatabasePasswords {
  const { password } = new URL(ownerUrl)
  return Object.fromEntries(
    databaseServices.map((service) => [
      service,
      createHmac('sha256', password).update(`login of ${service}`).digest('hex'),
    ]),
  ) as DatabasePasswords
}

/** Returns the address of the database for a service. Without passwords, all services have the owner's. */
export function databaseUrlOf(
  ownerUrl: string,
  service: DatabaseService,
  passwords: DatabasePasswords | undefined,
): string {
  return passwords ? urlForService(ownerUrl, service, passwords[service]) : ownerUrl
}
