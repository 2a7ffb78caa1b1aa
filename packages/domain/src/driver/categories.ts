const trailer = 'with a trailer up to 750 kg'
const heavyTrailer = 'with a trailer over 750 kg'

/**
 * The legal text of every category, by its code, which is written without "+": Motor Vehicles (Driving Licences)
 * Regulations 1999, schedule 2. A photocard shows F to Q in lower case.
 */
const categories = {
  AM: '2-wheel vehicles or 3-wheel vehicles with a maximum design speed of over 25km/h and not more than 45km/h; Light quadricycles with a mass in running order of not more than 425kg, not including the mass of the batteries in the case of electric vehicles, whose maximum design speed is over 25km/h and not more than 45km/h',
  P: 'Motor vehicles with fewer than 4 wheels with a maximum design speed exceeding 45 kilometres per hour (km/h) but not exceeding 50 km/h and which, if propelled by an internal combustion engine, has a cylinder capacity not exceeding 50 cc',
  Q: '2-wheel vehicles or 3-wheel vehicles with a maximum design speed of not more than 25km/h and an engine of not more than 50 cc, including electric scooters in trials',
  A1: 'Motorbikes with engine size up to 125 cc, power output up to 11 kW and power/weight ratio up to 0.1 kW/kg',
  A2: 'Motorbikes with power output up to 35 kW and power/weight ratio up to 0.2 kW/kg, not derived from a motorbike of more than double its power',
  A: 'Motorbikes of any size and power; Motor tricycles with power output over 15 kW',
  B: "Vehicles up to 3,500 kg Maximum Authorised Mass (MAM) with up to 8 passenger seats and driver (with a trailer up to 750 kg). Can also tow heavier trailers if the total weight of vehicle and trailer isn't more than 3,500 kg.",
  B1: 'Motor vehicles with 4 wheels up to 400 kg unladen weight, or 550 kg if designed for carrying goods',
  BE: `Vehicles of category B ${heavyTrailer}`,
  C1: `Goods vehicles over 3,500 kg and up to 7,500 kg MAM (${trailer})`,
  C1E: `Vehicles of category C1 ${heavyTrailer}, the combination up to 12,000 kg MAM`,
  C: `Goods vehicles over 3,500 kg MAM (${trailer})`,
  CE: `Vehicles of category C ${heavyTrailer}`,
  D1: `Passenger vehicles with 9 to 16 passenger seats and up to 8 metres long (${trailer})`,
  D1E: `Vehicles of category D1 ${heavyTrailer}`,
  D: `Passenger vehicles with more than 8 passenger seats (${trailer})`,
  DE: `Vehicles of category D ${heavyTrailer}`,
  F: 'Agricultural or forestry tractors',
  G: 'Road rollers',
  H: 'Tracked vehicles',
  K: 'Mowing machines or pedestrian-controlled vehicles',
  L: 'Electrically-propelled vehicles',
  M: 'Trolley vehicles',
  N: 'Vehicles exempt from duty',
} as const satisfies Record<string, string>

export type CategoryCode = keyof typeof categories

export const categoryCodes = Object.keys(categories) as CategoryCode[]

const byCode = new Map<string, string>(Object.entries(categories))

/** Returns the legal text of a category; undefined for an unknown code. */
export function categoryLegalLiteral(code: string): string | undefined {
  return byCode.get(code)
}
