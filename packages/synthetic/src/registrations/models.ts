import type { Random } from '../chance/random.ts'
import { createWeighted } from '../chance/weighted.ts'

/** Draws from names with their weights, such as `PETROL 985,DIESEL 10`. */
export function weighted(text: string): (random: Random) => string {
  return createWeighted(
    text.split(',').map((entry): [number, string] => {
      const space = entry.lastIndexOf(' ')
      return [Number(entry.slice(space + 1)), entry.slice(0, space)]
    }),
  )
}

export type Kind = 'car' | 'van' | 'motorbike' | 'tricycle' | 'lorry' | 'bus' | 'tractor'

export const drawKind = createWeighted<Kind>([
  [824, 'car'],
  [112, 'van'],
  [38, 'motorbike'],
  [2, 'tricycle'],
  [12, 'lorry'],
  [4, 'bus'],
  [8, 'tractor'],
])

const carMakes = weighted(
  'FORD 120,VAUXHALL 105,VOLKSWAGEN 88,BMW 56,MERCEDES-BENZ 54,AUDI 53,TOYOTA 52,NISSAN 49,PEUGEOT 42,KIA 40,HYUNDAI 37,RENAULT 35,HONDA 32,CITROEN 30,SKODA 30,LAND ROVER 30,MINI 27,FIAT 22,VOLVO 20,SEAT 19,MAZDA 19,SUZUKI 17,JAGUAR 11,LEXUS 6,DACIA 9,MITSUBISHI 8,MG 11,PORSCHE 8,SMART 4,ALFA ROMEO 3,JEEP 4,SUBARU 3,SAAB 1,ROVER 1,CUPRA 3,DS 2,BENTLEY 1,ASTON MARTIN 1,FERRARI 1,LOTUS 1,ROLLS-ROYCE 1',
)
const electricMakes = weighted(
  'TESLA 25,KIA 9,VOLKSWAGEN 10,MG 10,NISSAN 9,HYUNDAI 8,BMW 10,MERCEDES-BENZ 8,AUDI 7,POLESTAR 5,BYD 4,RENAULT 5,PEUGEOT 6,VAUXHALL 6,VOLVO 4,FORD 3,MINI 4,JAGUAR 3,PORSCHE 3,SKODA 4',
)
const classicMakes = weighted(
  'AUSTIN 22,MORRIS 20,FORD 18,MG 14,TRIUMPH 13,ROVER 9,JAGUAR 9,HILLMAN 6,VAUXHALL 8,LAND ROVER 8,VOLKSWAGEN 6,BENTLEY 2,ROLLS-ROYCE 2,WOLSELEY 3,RILEY 2,LOTUS 2,ASTON MARTIN 1',
)

const otherMakes: Record<Exclude<Kind, 'car'>, ReturnType<typeof weighted>> = {
  van: weighted(
    'FORD 38,VAUXHALL 14,VOLKSWAGEN 11,MERCEDES-BENZ 10,PEUGEOT 7,CITROEN 7,RENAULT 6,NISSAN 4,TOYOTA 3,FIAT 3,IVECO 2,MITSUBISHI 2,MAXUS 1,LDV 1',
  ),
  motorbike: weighted(
    'HONDA 22,YAMAHA 17,TRIUMPH 14,SUZUKI 10,BMW 9,KAWASAKI 9,HARLEY-DAVIDSON 6,DUCATI 4,KTM 3,PIAGGIO 3,ROYAL ENFIELD 2,VESPA 2,LEXMOTO 2,BSA 1,NORTON 1',
  ),
  tricycle: weighted('PIAGGIO 6,RELIANT 5,CAN-AM 2,MORGAN 2'),
  lorry: weighted('DAF 28,SCANIA 18,VOLVO 16,MERCEDES-BENZ 14,MAN 12,IVECO 7,RENAULT 4,DENNIS 1'),
  bus: weighted(
    'ALEXANDER DENNIS 30,VOLVO 25,MERCEDES-BENZ 13,SCANIA 8,WRIGHTBUS 10,IRIZAR 3,IVECO 4',
  ),
  tractor: weighted(
    'JOHN DEERE 30,NEW HOLLAND 20,MASSEY FERGUSON 16,CASE IH 10,CLAAS 7,FENDT 6,VALTRA 3,JCB 5,DEUTZ-FAHR 2',
  ),
}

/** Returns the makes for a kind of vehicle, year of first registration and fuel. */
export function makesOf(kind: Kind, { year, isElectric }: { year: number; isElectric: boolean }) {
  if (kind !== 'car') return otherMakes[kind]
  if (isElectric) return electricMakes
  return year < 1978 ? classicMakes : carMakes
}

/** Makes whose cars are often expensive enough for the additional rate of tax. */
export const dearMakes = new Set(
  'ASTON MARTIN,AUDI,BENTLEY,BMW,FERRARI,JAGUAR,LAND ROVER,LEXUS,LOTUS,MERCEDES-BENZ,POLESTAR,PORSCHE,ROLLS-ROYCE,TESLA,VOLVO'.split(
    ',',
  ),
)

export const drawColour = weighted(
  'BLACK 200,WHITE 180,GREY 190,BLUE 165,SILVER 115,RED 95,GREEN 17,ORANGE 8,BROWN 7,BEIGE 6,YELLOW 5,BRONZE 4,GOLD 4,PURPLE 5,CREAM 2,TURQUOISE 2,MAROON 2,BUFF 1,PINK 1,MULTI-COLOUR 1,NOT STATED 1',
)
