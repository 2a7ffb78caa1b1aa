import {
  type DriverScenario,
  driver,
  type SourceBehaviour,
  sourceBehaviours,
} from '../driver-scenario.ts'
import { cpcs, tachoCards } from './records.ts'

const letters: Record<SourceBehaviour, string> = {
  answers: 'A',
  fails: 'F',
  unavailable: 'U',
  'times-out': 'T',
}

const words: Record<SourceBehaviour, string> = {
  answers: 'answers',
  fails: 'fails',
  unavailable: 'is unavailable',
  'times-out': 'times out',
}

/**
 * SRC and two letters: the behaviour of the source of CPC data and of the source of tachograph data. A(nswers),
 * F(ails), U(navailable) or T(imes out). SRCAF: CPC data is returned, the tachograph source fails.
 */
export const sourceDrivers: readonly DriverScenario[] = sourceBehaviours.flatMap((cpc) =>
  sourceBehaviours.map((tachograph) =>
    driver(
      { lastName: `SRC${letters[cpc]}${letters[tachograph]}`, day: 1 },
      `CPC source ${words[cpc]}, tachograph source ${words[tachograph]}`,
      { cpcs, tachoCards },
      { cpc, tachograph },
    ),
  ),
)
