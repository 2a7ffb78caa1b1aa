import type { Command } from 'commander'

const callback = '019d3c1e-7b52-7d0a-8f41-6f1f6b0a2c11'
const bulk = '1c9e7f52-6f0e-4d3f-8f4b-7b6a5c4d3e2f'
const recall = '8f3c2a6b-1f5e-4d5b-9f7e-0c3a5d6e7f80'
const submit =
  'docs/examples/letter.pdf --to "A Person, 1 High Street, Leeds, LS1 1AA" --type LETTER --template LETTER'

/**
 * How each command is called, with its path left out. The users, the site and the files are those of `npm start` and of
 * this tree; other names are invented.
 */
const examples: Readonly<Record<string, readonly string[]>> = {
  init: ['', '--user-name acme --yes'],
  listen: ['--to http://localhost:4000/callbacks'],
  trigger: ['DESPATCHED --to http://localhost:4000/callbacks', 'ALL'],
  'consumers create': ['acme --name "Acme Ltd" --email post@acme.example --service print-request'],
  'consumers list': [''],
  'consumers show': ['demo-consumer'],
  'consumers usage': ['demo-consumer'],
  'consumers disable': ['acme'],
  'consumers enable': ['acme'],
  'consumers rotate-key': ['acme'],
  'consumers reset-password': ['acme'],
  'consumers end-tokens': ['acme'],
  'consumers set-plan': ['acme standard'],
  'consumers limit': ['acme 203.0.113.0/24 2001:db8::/32', 'acme --none'],
  'consumers set-services': ['acme print-request vehicle-enquiry', 'acme --none'],
  'consumers set-roles': ['acme consumer', 'acme-print provider --provider demo-provider'],
  'contracts list': ['demo-consumer'],
  'contracts add': ['acme LETTER LETTER', 'acme LETTER LETTER --mono --simplex --replace'],
  'contracts retire': ['acme LETTER LETTER'],
  'templates init': ['renewal', 'reminder --from council-reminder'],
  'templates check': ['renewal'],
  'templates publish': ['renewal', 'renewal --name council-tax --no-pictures'],
  'templates list': [''],
  'templates versions': ['renewal'],
  'templates get': ['renewal@3 renewal-3'],
  'templates preview': [
    'renewal --watch --language cy,en',
    'renewal --sample ordinary --out renewal.pdf',
  ],
  'plans list': [''],
  'plans set': ['bulk --service print-request --requests-per-second 500 --burst 1000'],
  'providers list': [''],
  'providers add': ['acme-print --name "Acme Print" --location leeds'],
  'providers set': ['acme-print --exchange file-drop'],
  'sites list': ['', '--provider demo-provider'],
  'sites set': ['acme-print leeds --enable --share 50'],
  'jobs list': ['--only held', '"Ada Example AB1 2CD" --status PENDING --status PRODUCTION'],
  'jobs show': ['my-first-letter'],
  'jobs hold': ['my-first-letter --reason "asked for by telephone"'],
  'jobs release': ['my-first-letter --reason "may go"'],
  'jobs cancel': ['my-first-letter --reason "sent by mistake"'],
  'jobs redrive': ['my-first-letter --reason "cause put right"'],
  'jobs redrive-parked': ['--reason "outage is over" --dry-run'],
  'jobs override-address': [
    'my-first-letter --line1 "2 Quarry Lane" --line5 LERWICK --postcode "ZE1 0AA" --reason "has moved"',
  ],
  'jobs evidence': ['my-first-letter --out my-first-letter.zip'],
  'jobs submit': [submit, `${submit} --dry-run`],
  'jobs submit-csv': [
    'docs/examples/letters.csv --type LETTER --template LETTER --dry-run',
    'people.csv --type RENEWAL --template RENEWAL',
  ],
  'jobs watch': ['my-first-letter --timeout 300'],
  'bulk plan': ['--action hold --reason "wrong enclosure" my-first-letter my-second-letter'],
  'bulk confirm': [`${bulk} --count 2`],
  'bulk watch': [`${bulk} --timeout 300`],
  'bulk stop': [bulk],
  'bulk show': [`${bulk} --outcome refused`],
  'bulk list': [''],
  'runs list': ['--state OPEN', '--provider demo-provider --limit 10'],
  'runs show': ['R100001'],
  'runs release': ['R100001'],
  'runs move': ['R100001 --provider demo-provider --location demo-site --reason "no paper"'],
  'runs recall': ['R100001 D100000004 --reason "sent by mistake"'],
  'runs recalls': ['--state OPEN'],
  'runs settle-recall': [`${recall} --all-stopped --note "confirmed by telephone"`],
  'runs post': [
    'R100001 --all --carrier "Royal Mail" --handover-at 2026-01-31T17:30:00Z --reason "docket"',
  ],
  'runs close': ['R100001 --note "accounted for"'],
  'reprints list': ['--state WAITING'],
  'reprints authorise': ['1'],
  'reprints refuse': ['1 --reason "may have been posted"'],
  'stock issue': ['demo-provider LETTER --prefix AP --first 1 --last 500'],
  'stock show': ['--provider demo-provider'],
  'callbacks list': ['--status DEAD', '--consumer demo-consumer --limit 10'],
  'callbacks show': [callback],
  'callbacks replay': [callback],
  'callbacks replay-many': ['--consumer demo-consumer --dry-run'],
  'callbacks origins': [''],
  'queues list': [''],
  'queues pause': ['letters --reason "the printer is repaired"'],
  'queues drain': ['slow'],
  'queues redrive': ['letters'],
  'queues resume': ['letters'],
  'audit list': ['demo-consumer', '--by demo-operator --from 2026-11-01'],
  'enquiries list': ['--service vehicle-enquiry', '--number - < number.txt'],
  'keys derive': ['', '--service print-request'],
  'keys rotate': [''],
  'drivers import': ['docs/examples/drivers.csv'],
  'drivers sets': [''],
  'drivers rollback': [''],
  'drivers abandon': [''],
  'drivers generate': ['1000 --out drivers.ndjson'],
  'vehicles import': ['docs/examples/vehicles.csv'],
  'vehicles sets': [''],
  'vehicles rollback': [''],
  'vehicles abandon': [''],
  'vehicles generate': ['1000 --out vehicles.ndjson'],
  volumes: ['--from 2026-11-01 --to 2026-11-30', '--from 2026-11-01 --to 2026-11-30 --by day'],
  'provider-conformance': ['--base-url http://127.0.0.1:9090 --credentials conformance.json'],
  doctor: ['', '--reconcile'],
  completion: ['bash', 'fish'],
  help: ['jobs list'],
}

/** Ends the help of a command, and of all below it, with examples. A group has the first of its commands. */
export function addExamples(command: Command): void {
  const found = examplesOf(command)
  const title = found.length === 1 ? 'Example' : 'Examples'
  command.addHelpText('after', `\n${title}:\n${found.map((each) => `  ${each}`).join('\n')}`)
  for (const each of command.commands) addExamples(each)
}

/** Returns command lines as a shell takes them. */
export function examplesOf(command: Command): string[] {
  const own = examples[pathOf(command)]
  if (!own) return command.commands.flatMap((each) => examplesOf(each).slice(0, 1)).slice(0, 2)
  return own.map((each) => `npx despatch ${pathOf(command)} ${each}`.trimEnd())
}

/** Returns the words of a command without the program's name. */
export function pathOf(command: Command): string {
  const above = command.parent
  return above?.parent ? `${pathOf(above)} ${command.name()}` : command.name()
}
