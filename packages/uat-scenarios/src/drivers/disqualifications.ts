import type { Driver, Endorsement } from '@despatch/domain/driver/driver-record'
import { disqualificationTypes } from '@despatch/domain/driver/values'
import { day } from '../day.ts'
import { type DriverScenario, driver } from '../driver-scenario.ts'
import { drinkDriving } from './endorsements.ts'

type Shape = {
  title: string
  /** In addition to a DR10 of half a year ago. */
  endorsement: (now: Date) => Partial<Endorsement>
  driver?: (now: Date) => Partial<Driver>
}

const startDate = (now: Date) => day(now, { months: -3 })

const shapes: readonly Shape[] = [
  {
    title: 'Disqualified for life',
    endorsement: (now) => ({ disqualification: { forLife: true, startDate: startDate(now) } }),
    driver: () => ({ disqualifiedForLife: true }),
  },
  {
    title: 'Disqualified for years',
    endorsement: (now) => ({ disqualification: { years: 3, startDate: startDate(now) } }),
    driver: (now) => ({ disqualifiedUntil: day(now, { months: 33 }) }),
  },
  {
    title: 'Disqualified for months',
    endorsement: (now) => ({ disqualification: { months: 6, startDate: startDate(now) } }),
    driver: (now) => ({ disqualifiedUntil: day(now, { months: 3 }) }),
  },
  {
    title: 'Disqualified for days',
    endorsement: (now) => ({ disqualification: { days: 28, startDate: day(now, { days: -7 }) } }),
    driver: (now) => ({ disqualifiedUntil: day(now, { days: 21 }) }),
  },
  {
    title: 'Disqualified for years, months and days',
    endorsement: (now) => ({
      disqualification: { years: 1, months: 6, days: 14, startDate: startDate(now) },
    }),
    driver: (now) => ({ disqualifiedUntil: day(now, { months: 15, days: 14 }) }),
  },
  {
    title: 'Disqualified pending sentence, recorded in both members',
    endorsement: (now) => ({
      disqualification: { disqualifiedPendingSentence: true, startDate: startDate(now) },
      disqualifiedPendingSentence: true,
    }),
    driver: () => ({ disqualifiedPendingSentence: true }),
  },
  {
    title: 'Disqualified pending sentence, recorded in the disqualification alone',
    endorsement: (now) => ({
      disqualification: { disqualifiedPendingSentence: true, startDate: startDate(now) },
    }),
    driver: () => ({ disqualifiedPendingSentence: true }),
  },
  {
    title: 'Disqualified pending sentence, recorded in the deprecated member alone',
    endorsement: () => ({ disqualifiedPendingSentence: true }),
    driver: () => ({ disqualifiedPendingSentence: true }),
  },
  {
    title: 'Disqualification removed early',
    endorsement: (now) => ({
      disqualification: { years: 3, startDate: day(now, { years: -2, months: -6 }) },
      disqualificationRemovalDate: day(now, { months: -1 }),
    }),
  },
  {
    title: 'Disqualification suspended pending appeal',
    endorsement: (now) => ({
      disqualification: { months: 12, startDate: startDate(now) },
      disqualificationSuspendedPendingAppealDate: day(now, { months: -2 }),
    }),
  },
  {
    title: 'Disqualification suspended pending appeal, then reimposed',
    endorsement: (now) => ({
      disqualification: { months: 12, startDate: startDate(now) },
      disqualificationSuspendedPendingAppealDate: day(now, { months: -2 }),
      disqualificationReimposedDate: day(now, { months: -1 }),
    }),
    driver: (now) => ({ disqualifiedUntil: day(now, { months: 10 }) }),
  },
  {
    title: 'Totting up: TT99, no points of its own',
    endorsement: (now) => ({
      offenceCode: 'TT99',
      disqualification: { months: 6, startDate: startDate(now) },
    }),
    driver: (now) => ({ disqualifiedUntil: day(now, { months: 3 }) }),
  },
  {
    title: 'A disqualification that is over',
    endorsement: (now) => ({
      disqualification: { days: 14, startDate: day(now, { months: -3 }) },
    }),
  },
]

/** BANNED, born in January: one day for each form of a disqualification. */
const byShape = shapes.map(({ title, endorsement, driver: person }, index) =>
  driver({ lastName: 'BANNED', day: index + 1 }, title, (now) => ({
    endorsements: [{ ...drinkDriving(now), ...endorsement(now) }],
    ...(person !== undefined && {
      driver: person(now),
      licence: { type: 'Full', status: 'Disqualified', ...qualifierOf(person(now)) },
    }),
  })),
)

/** BANNED, born in February: one day for each disqualification type. */
const byType = disqualificationTypes.map((disqualificationType, index) =>
  driver(
    { lastName: 'BANNED', month: 2, day: index + 1 },
    `disqualificationType ${disqualificationType}`,
    (now) => ({
      endorsements: [
        {
          ...drinkDriving(now),
          disqualification: { years: 1, startDate: startDate(now), disqualificationType },
        },
      ],
    }),
  ),
)

export const disqualificationDrivers: readonly DriverScenario[] = [...byShape, ...byType]

function qualifierOf({ disqualifiedForLife, disqualifiedPendingSentence }: Partial<Driver>) {
  if (disqualifiedForLife) return { statusQualifier: 'For life' } as const
  if (disqualifiedPendingSentence) return { statusQualifier: 'Pending sentence' } as const
  return {}
}
