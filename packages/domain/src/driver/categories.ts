/** The legal text of a category of entitlement, and the other categories that it includes. */
type Category = { legalLiteral: string; includes: readonly string[] }

const trailer = 'with a trailer up to 750 kg'
const heavyTrailer = 'with a trailer over 750 kg'

/**
 * Every category code, written without "+": Motor Vehicles (Driving Licences) Regulations 1999, schedule 2. A photocard
 * shows F to Q in lower case.
 */
const categories = {
  AM: {
    legalLiteral:
      '2-wheel vehicles or 3-wheel vehicles with a maximum design speed of over 25km/h and not more than 45km/h; Light quadricycles with a mass in running order of not more than 425kg, not including the mass of the batteries in the case of electric vehicles, whose maximum design speed is over 25km/h and not more than 45km/h',
    includes: [],
  },
  P: {
    legalLiteral:
      'Motor vehicles with fewer than 4 wheels with a maximum design speed exceeding 45 kilometres per hour (km/h) but not exceeding 50 km/h and which, if propelled by an internal combustion engine, has a cylinder capacity not exceeding 50 cc',
    includes: [],
  },
  Q: {
    legalLiteral:
      '2-wheel vehicles or 3-wheel vehicles with a maximum design speed of not more than 25km/h and an engine of not more than 50 cc, including electric scooters in trials',
    includes: [],
  },
  A1: {
    legalLiteral:
      'Motorbikes with engine size up to 125 cc, power output up to 11 kW and power/weight ratio up to 0.1 kW/kg',
    includes: ['AM', 'Q'],
  },
  A2: {
    legalLiteral:
      'Motorbikes with power output up to 35 kW and power/weight ratio up to 0.2 kW/kg, not derived from a motorbike of more than double its power',
    includes: ['AM', 'A1', 'Q'],
  },
  A: {
    legalLiteral: 'Motorbikes of any size and power; Motor tricycles with power output over 15 kW',
    includes: ['AM', 'A1', 'A2', 'Q', 'K'],
  },
  B: {
    legalLiteral:
      "Vehicles up to 3,500 kg Maximum Authorised Mass (MAM) with up to 8 passenger seats and driver (with a trailer up to 750 kg). Can also tow heavier trailers if the total weight of vehicle and trailer isn't more than 3,500 kg.",
    includes: [],
  },
  B1: {
    legalLiteral:
      'Motor vehicles with 4 wheels up to 400 kg unladen weight, or 550 kg if designed for carrying goods',
    includes: [],
  },
  BE: { legalLiteral: `Vehicles of category B ${heavyTrailer}`, includes: [] },
  C1: {
    legalLiteral: `Goods vehicles over 3,500 kg and up to 7,500 kg MAM (${trailer})`,
    includes: [],
  },
  C1E: {
    legalLiteral: `Vehicles of category C1 ${heavyTrailer}, the combination up to 12,000 kg MAM`,
    includes: [],
  },
  C: { legalLiteral: `Goods vehicles over 3,500 kg MAM (${trailer})`, includes: ['C1'] },
  CE: { legalLiteral: `Vehicles of category C ${heavyTrailer}`, includes: ['C1E', 'BE'] },
  D1: {
    legalLiteral: `Passenger vehicles with 9 to 16 passenger seats and up to 8 metres long (${trailer})`,
    includes: [],
  },
  D1E: { legalLiteral: `Vehicles of category D1 ${heavyTrailer}`, includes: [] },
  D: {
    legalLiteral: `Passenger vehicles with more than 8 passenger seats (${trailer})`,
    includes: ['D1'],
  },
  DE: { legalLiteral: `Vehicles of category D ${heavyTrailer}`, includes: ['D1E', 'BE'] },
  F: { legalLiteral: 'Agricultural or forestry tractors', includes: [] },
  G: { legalLiteral: 'Road rollers', includes: [] },
  H: { legalLiteral: 'Tracked vehicles', includes: [] },
  K: { legalLiteral: 'Mowing machines or pedestrian-controlled vehicles', includes: [] },
  L: { legalLiteral: 'Electrically-propelled vehicles', includes: [] },
  M: { legalLiteral: 'Trolley vehicles', includes: [] },
  N: { legalLiteral: 'Vehicles exempt from duty', includes: [] },
} as const satisfies Record<string, Category>

export type CategoryCode = keyof typeof categories

export const categoryCodes = Object.keys(categories) as CategoryCode[]

const byCode = new Map<string, Category>(Object.entries(categories))

/** Returns the legal text of a category; undefined for an unknown code. */
export function categoryLegalLiteral(code: string): string | undefined {
  return byCode.get(code)?.legalLiteral
}

/** Returns the categories that a category includes, as far as schedule 2 names them; empty for an unknown code. */
export function includedCategories(code: string): readonly string[] {
  return byCode.get(code)?.includes ?? []
}
