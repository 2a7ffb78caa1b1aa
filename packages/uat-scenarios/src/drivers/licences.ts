import type { Disqualification, Driver } from '@despatch/domain/driver/driver-record'
import {
  type LicenceStatus,
  type LicenceStatusQualifier,
  licenceStatuses,
  licenceTypes,
} from '@despatch/domain/driver/values'
import { day } from '../day.ts'
import { type Differences, type DriverScenario, family } from '../driver-scenario.ts'
import { startDate } from './bans.ts'
import { drinkDriving } from './offences.ts'

/** The qualifiers that a licence of each status can have, besides none. */
const qualifiers: Record<LicenceStatus, readonly LicenceStatusQualifier[]> = {
  Valid: ['For re-assessment only', 'Photo licence invitation sent'],
  Disqualified: [
    'Short period disqualification',
    'Until test passed',
    'Until extended test passed',
    'Pending sentence',
    'For life',
  ],
  Revoked: ['Until test passed', 'Until extended test passed'],
  Surrendered: [],
  Expired: ['Photo licence invitation sent'],
  Exchanged: [],
  Refused: [],
}

const { sentenceDate: _, ...notSentenced } = drinkDriving
const pending = { disqualifiedPendingSentence: true } as const

/** The remaining record of a disqualified driver, by the qualifier of the licence. */
const disqualified: { [qualifier in LicenceStatusQualifier | 'none']?: Differences } = {
  none: ban({ years: 1 }, { disqualifiedUntil: day({ months: 9 }) }),
  'For life': ban({ forLife: true }, { disqualifiedForLife: true }),
  'Pending sentence': {
    driver: pending,
    endorsements: [{ ...notSentenced, disqualification: { ...pending, startDate }, ...pending }],
  },
  'Short period disqualification': {
    driver: { disqualifiedUntil: day({ days: 14 }) },
    endorsements: [
      {
        ...drinkDriving,
        offenceCode: 'SP50',
        disqualification: { days: 28, startDate: day({ days: -14 }) },
      },
    ],
  },
  'Until test passed': ban(
    { years: 1, disqualificationType: 'Disqualified until Test Pass' },
    { disqualifiedUntil: day({ months: 9 }) },
  ),
  'Until extended test passed': ban(
    { years: 2, disqualificationType: 'Disqualified until Extended Test Pass' },
    { disqualifiedUntil: day({ months: 21 }) },
  ),
}

/**
 * VALID, DISQUALIFIED, REVOKED …: the surname is the status. Born in January: full licence. Born in February:
 * provisional. Day 1: no qualifier, then one day for each qualifier.
 */
export const licenceDrivers: readonly DriverScenario[] = licenceStatuses.flatMap((status) =>
  licenceTypes.toReversed().flatMap((type, monthIndex) =>
    family(
      status.toUpperCase(),
      [undefined, ...qualifiers[status]].map((statusQualifier): [string, Differences] => [
        `${type} licence, ${status}${statusQualifier ? `, ${statusQualifier}` : ''}`,
        {
          ...(status === 'Disqualified' && disqualified[statusQualifier ?? 'none']),
          licence: { type, status, ...(statusQualifier && { statusQualifier }) },
          entitlement: [{ categoryCode: 'B', categoryType: type }],
        },
      ]),
      monthIndex + 1,
    ),
  ),
)

function ban(disqualification: Disqualification, driver: Partial<Driver>): Differences {
  const endorsement = { ...drinkDriving, disqualification: { ...disqualification, startDate } }
  return { driver, endorsements: [endorsement] }
}
