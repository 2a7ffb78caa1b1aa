import type { Disqualification } from '@despatch/domain/driver/driver-record'
import {
  type LicenceStatus,
  type LicenceStatusQualifier,
  licenceStatuses,
  licenceTypes,
} from '@despatch/domain/driver/values'
import { day } from '../day.ts'
import { type Differences, type DriverScenario, driver } from '../driver-scenario.ts'
import { drinkDriving } from './endorsements.ts'

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

/**
 * VALID, DISQUALIFIED, REVOKED …: the surname is the status. Born in January: full licence. Born in February:
 * provisional. Day 1: no qualifier, then one day for each qualifier.
 */
export const licenceDrivers: readonly DriverScenario[] = licenceStatuses.flatMap((status) =>
  licenceTypes.toReversed().flatMap((type, monthIndex) =>
    [undefined, ...qualifiers[status]].map((qualifier, dayIndex) =>
      driver(
        { lastName: status.toUpperCase(), month: monthIndex + 1, day: dayIndex + 1 },
        `${type} licence, ${status}${qualifier === undefined ? '' : `, ${qualifier}`}`,
        (now): Differences => ({
          ...(status === 'Disqualified' && disqualified(qualifier, now)),
          licence: { type, status, ...(qualifier !== undefined && { statusQualifier: qualifier }) },
          entitlement: [{ categoryCode: 'B', categoryType: type }],
        }),
      ),
    ),
  ),
)

/** The remaining record of a disqualified driver: the driver's own members and the endorsement. */
function disqualified(qualifier: LicenceStatusQualifier | undefined, now: Date): Differences {
  const startDate = day(now, { months: -3 })
  const endorsed = (disqualification: Disqualification) => ({
    endorsements: [{ ...drinkDriving(now), disqualification }],
  })
  switch (qualifier) {
    case 'For life':
      return {
        driver: { disqualifiedForLife: true },
        ...endorsed({ forLife: true, startDate }),
      }
    case 'Pending sentence': {
      const { sentenceDate: _, ...offence } = drinkDriving(now)
      const disqualification = { disqualifiedPendingSentence: true, startDate }
      return {
        driver: { disqualifiedPendingSentence: true },
        endorsements: [{ ...offence, disqualification, disqualifiedPendingSentence: true }],
      }
    }
    case 'Short period disqualification':
      return {
        driver: { disqualifiedUntil: day(now, { days: 14 }) },
        endorsements: [
          {
            ...drinkDriving(now),
            offenceCode: 'SP50',
            disqualification: { days: 28, startDate: day(now, { days: -14 }) },
          },
        ],
      }
    case 'Until test passed':
      return {
        driver: { disqualifiedUntil: day(now, { months: 9 }) },
        ...endorsed({
          years: 1,
          startDate,
          disqualificationType: 'Disqualified until Test Pass',
        }),
      }
    case 'Until extended test passed':
      return {
        driver: { disqualifiedUntil: day(now, { months: 21 }) },
        ...endorsed({
          years: 2,
          startDate,
          disqualificationType: 'Disqualified until Extended Test Pass',
        }),
      }
    default:
      return {
        driver: { disqualifiedUntil: day(now, { months: 9 }) },
        ...endorsed({ years: 1, startDate }),
      }
  }
}
