import type { Gender } from '@despatch/domain/driver/values'
import { faker } from '@faker-js/faker/locale/en_GB'
import type { Random } from '../chance/random.ts'
import type { Culture } from './surnames.ts'

/** Popular names among the births up to a year, the most frequent first. */
const fashions: [untilYear: number, names: Record<Gender, readonly string[]>][] = [
  [
    1945,
    namesOf(
      'Margaret Jean Mary Joan Patricia Sheila Barbara Doreen June Shirley Dorothy Joyce Maureen Elizabeth Audrey Brenda Kathleen Sylvia Eileen Pamela Betty Beryl Ann Irene Marjorie Rita Beatrice Gwendoline Olive Edna',
      'John William George James Ronald Robert Kenneth Frederick Thomas Albert Eric Edward Arthur Charles Leslie Sidney Frank Peter Dennis Joseph Alan Stanley Ernest Harold Norman Raymond Leonard Alfred Harry Donald Reginald Roy Derek Henry Geoffrey',
    ),
  ],
  [
    1964,
    namesOf(
      'Susan Margaret Christine Linda Patricia Janet Jean Carol Ann Elizabeth Mary Barbara Maureen Sheila Valerie Jennifer Sandra Kathleen Gillian Marion Pauline Pamela Judith Brenda Catherine Julie Helen Jacqueline Lesley Denise Anne Hilary Eileen Rosemary Wendy Lynne',
      'David John Peter Michael Alan Robert Stephen Paul Brian Graham Philip Anthony Colin Christopher Geoffrey William James Keith Terence Barry Malcolm Richard Ian Derek Roger Raymond Kenneth Andrew Trevor Martin Kevin Nigel Roy Charles Dennis Neil',
    ),
  ],
  [
    1979,
    namesOf(
      'Susan Julie Karen Jacqueline Deborah Tracey Jane Helen Diane Sharon Sarah Claire Nicola Emma Lisa Joanne Michelle Samantha Alison Amanda Angela Rachel Louise Victoria Elizabeth Rebecca Kelly Catherine Dawn Wendy Paula Melanie Donna Andrea Maria Heather Philippa',
      'Paul David Andrew Stephen Mark Michael Ian Gary Robert Richard Peter John Anthony Christopher Darren Kevin Martin Simon Philip Graham Colin Adrian Nigel Alan Neil Stuart Jason Lee Craig Matthew James Jonathan Steven Nicholas Timothy Sean Wayne Carl Dean',
    ),
  ],
  [
    1994,
    namesOf(
      'Sarah Laura Gemma Emma Rebecca Claire Victoria Samantha Rachel Amy Jennifer Nicola Katie Lisa Kelly Natalie Louise Michelle Hayley Hannah Helen Charlotte Joanne Lucy Elizabeth Leanne Danielle Donna Katherine Stephanie Lauren Jessica Kirsty Stacey Catherine Zoë Kathryn Siobhán Chloe Jade',
      'Christopher James David Daniel Michael Matthew Andrew Richard Paul Mark Thomas Adam Robert John Lee Benjamin Steven Jonathan Craig Stephen Simon Nicholas Peter Anthony Alexander Gary Ian Ryan Darren Barry Stuart Samuel Joseph Jack Ashley Joshua Luke Philip Timothy Sean Kieran Gareth',
    ),
  ],
  [
    Number.POSITIVE_INFINITY,
    namesOf(
      'Chloe Emily Sophie Jessica Olivia Megan Charlotte Emma Lauren Hannah Grace Lucy Ella Amelia Georgia Bethany Katie Rebecca Amy Holly Ellie Mia Lily Molly Eleanor Jade Daisy Poppy Freya Evie Ruby Isabella Abigail Caitlin Shannon Leah Erin Alice Zara Paige Niamh Seren Isla Imogen Elise',
      'Jack Thomas James Joshua Daniel Oliver Harry Samuel William Joseph Matthew George Luke Ethan Lewis Jake Charlie Callum Benjamin Alexander Ryan Jacob Adam Connor Liam Max Dylan Nathan Cameron Alfie Tyler Archie Edward Owen Oscar Logan Finley Rhys Noah Aaron Kieran Reece Toby Zachary Tomos',
    ),
  ],
]

const byCulture: Record<Exclude<Culture, 'british'>, Record<Gender, readonly string[]>> = {
  muslim: namesOf(
    'Fatima Aisha Zainab Maryam Khadija Nasreen Shabana Amina Yasmin Samina Rukhsana Farzana Sadia Saima Noor Iqra Hafsa Bushra Nadia Safiya',
    'Mohammed Muhammad Mohammad Ahmed Ali Imran Abdul Hassan Usman Tariq Asif Omar Bilal Hamza Ibrahim Yusuf Zahid Khalid Nadeem Adnan Mohamed Kamran',
  ),
  hindu: namesOf(
    'Priya Anita Sunita Meena Pooja Neha Asha Hina Kavita Rekha Shilpa Deepa Bhavna Nisha Jaya Lakshmi Anjali Divya Mira Sonal',
    'Raj Sanjay Amit Rakesh Anil Vijay Nilesh Rahul Kiran Dinesh Suresh Ashok Hitesh Jayesh Mahesh Arjun Rohan Nikhil Deepak Bhavesh',
  ),
  sikh: namesOf(
    'Harpreet Manpreet Jaspreet Gurpreet Simran Amandeep Sukhvinder Baljit Kulwinder Rajinder Navdeep Parminder',
    'Gurpreet Harjit Manjit Jaswinder Amarjit Sukhdev Balwinder Kulvinder Ranjit Davinder Hardeep Jagdeep Satnam',
  ),
  polish: namesOf(
    'Anna Katarzyna Małgorzata Agnieszka Barbara Ewa Magdalena Joanna Monika Aleksandra Karolina Zofia Paulina',
    'Piotr Krzysztof Andrzej Tomasz Paweł Marcin Michał Łukasz Grzegorz Adam Jakub Wojciech Mateusz',
  ),
  african: namesOf(
    'Grace Blessing Esther Ngozi Adaeze Abena Akosua Chioma Folake Funmilayo Temitope Mercy Patience Comfort',
    'Emmanuel Samuel Kwame Kofi Chinedu Emeka Oluwaseun Tunde Ibrahim Daniel Joseph Yaw Babatunde Tendai',
  ),
  chinese: namesOf(
    'Mei Xin Yan Li Hui Jing Ying Wai Siu Grace Amy Karen',
    'Wei Ming Jun Hao Chi Kwok Wing Kin Ho Jason Kevin Raymond',
  ),
}

const rareNames: Record<Gender, readonly string[]> = {
  Female: faker.rawDefinitions.person?.first_name?.female ?? [],
  Male: faker.rawDefinitions.person?.first_name?.male ?? [],
}
const middleNames: Record<Gender, readonly string[]> = {
  Female: faker.rawDefinitions.person?.middle_name?.female ?? [],
  Male: faker.rawDefinitions.person?.middle_name?.male ?? [],
}

/** Share of people with a surname of another culture who also have its first names. */
const keepsCulture = 0.8
const hasRareName = 0.12
const hasNoFirstName = 0.0008
/** Share of people with at least two and with three forenames. */
const hasSecond = 0.7
const hasThird = 0.08

/** Draws one to three forenames that were popular in the year of birth. Undefined for the few people without any. */
export function drawFirstNames(
  random: Random,
  person: { gender: Gender; birthYear: number; culture: Culture },
): string | undefined {
  if (random.chance(hasNoFirstName)) return undefined

  const { gender, birthYear, culture } = person
  const isOfCulture = culture !== 'british' && random.chance(keepsCulture)
  const [, popular] = fashions.find(([untilYear]) => birthYear <= untilYear)!
  const names = isOfCulture ? byCulture[culture][gender] : popular[gender]
  const isRare = !isOfCulture && random.chance(hasRareName)
  const first = isRare ? random.pick(rareNames[gender]) : drawFrequent(random, names)
  if (!random.chance(hasSecond)) return first

  const others = isOfCulture || random.chance(0.5) ? names : middleNames[gender]
  const second = drawFrequent(random, others)
  const known = second === first ? first : `${first} ${second}`
  return random.chance(hasThird) ? `${known} ${random.pick(middleNames[gender])}` : known
}

/** Names earlier in the list are more frequent. */
function drawFrequent(random: Random, names: readonly string[]): string {
  return names[Math.floor(names.length * random.unit() ** 1.4)] as string
}

function namesOf(female: string, male: string): Record<Gender, readonly string[]> {
  return { Female: female.split(' '), Male: male.split(' ') }
}
