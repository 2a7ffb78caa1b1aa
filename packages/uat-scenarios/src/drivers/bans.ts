import type { Disqualification, Driver, Endorsement } from '@despatch/domain/driver/driver-record'
import { disqualificationTypes } from '@despatch/domain/driver/values'
import { day } from '../day.ts'
import { type Differences, type DriverScenario, family } from '../driver-scenario.ts'
import { drinkDriving } from './offences.ts'

/** When the disqualifications of the scenarios began, where nothing else is said. */
export const startDate = day({ months: -3 })

const forLife = { forLife: true, startDate }
const pending = { disqualifiedPendingSentence: true } as const
const monthsLeft = (months: number, days = 0) => ({ disqualifiedUntil: day({ months, days }) })

/** BANNED, born in January: one day for each form of a disqualification. In addition to a DR10 of half a year ago. */
const byForm: readonly [title: string, Partial<Endorsement>, driver?: Partial<Driver>][] = [
  ['Disqualified for life', { disqualification: forLife }, { disqualifiedForLife: true }],
  ['Disqualified for years', banned({ years: 3 }), monthsLeft(33)],
  ['Disqualified for months', banned({ months: 6 }), monthsLeft(3)],
  ['Disqualified for days', banned({ days: 28, startDate: day({ days: -7 }) }), monthsLeft(0, 21)],
  [
    'Disqualified for years, months and days',
    banned({ years: 1, months: 6, days: 14 }),
    monthsLeft(15, 14),
  ],
  [
    'Disqualified pending sentence, recorded in both members',
    { ...banned(pending), ...pending },
    pending,
  ],
  [
    'Disqualified pending sentence, recorded in the disqualification alone',
    banned(pending),
    pending,
  ],
  ['Disqualified pending sentence, recorded in the deprecated member alone', pending, pending],
  [
    'Disqualification removed early',
    {
      ...banned({ years: 3, startDate: day({ years: -2, months: -6 }) }),
      disqualificationRemovalDate: day({ months: -1 }),
    },
  ],
  [
    'Disqualification suspended pending appeal',
    {
      ...banned({ months: 12 }),
      disqualificationSuspendedPendingAppealDate: day({ months: -2 }),
    },
  ],
  [
    'Disqualification suspended pending appeal, then reimposed',
    {
      ...banned({ months: 12 }),
      disqualificationSuspendedPendingAppealDate: day({ months: -2 }),
      disqualificationReimposedDate: day({ months: -1 }),
    },
    monthsLeft(10),
  ],
  [
    'Totting up: TT99, no points of its own',
    { offenceCode: 'TT99', ...banned({ months: 6 }) },
    monthsLeft(3),
  ],
  ['A disqualification that is over', banned({ days: 14 })],
]

export const bannedDrivers: readonly DriverScenario[] = [
  ...family(
    'BANNED',
    byForm.map(([title, endorsement, driver]): [string, Differences] => [
      title,
      {
        endorsements: [{ ...drinkDriving, ...endorsement }],
        ...(driver && {
          driver,
          licence: { type: 'Full', status: 'Disqualified', ...qualifierOf(driver) },
        }),
      },
    ]),
  ),
  // born in February: one day for each disqualification type
  ...family(
    'BANNED',
    disqualificationTypes.map((disqualificationType): [string, Differences] => [
      `disqualificationType ${disqualificationType}`,
      { endorsements: [{ ...drinkDriving, ...banned({ years: 1, disqualificationType }) }] },
    ]),
    2,
  ),
]

function banned(disqualification: Disqualification): Pick<Endorsement, 'disqualification'> {
  return { disqualification: { startDate, ...disqualification } }
}

function qualifierOf({ disqualifiedForLife, disqualifiedPendingSentence }: Partial<Driver>) {
  if (disqualifiedForLife) return { statusQualifier: 'For life' } as const
  if (disqualifiedPendingSentence) return { statusQualifier: 'Pending sentence' } as const
  return {}
}
