/** What the APIs are called, and who calls them, by their prefix. */
const knownApis: Readonly<Record<string, { title: string; callers: string }>> = {
  '/thirdparty-access': { title: 'Sign-in', callers: 'everyone' },
  '/print-request': { title: 'Print jobs', callers: 'senders of letters' },
  '/print-fulfilment': { title: 'Print fulfilment', callers: 'print factories' },
  '/vehicle-enquiry': { title: 'Vehicle enquiries', callers: 'systems that ask for a vehicle' },
  '/full-driver-enquiry': { title: 'Driver enquiries', callers: 'systems that ask for a driver' },
  '/driver-find': { title: 'Driver searches', callers: 'systems that look for a driver' },
  '/uat': { title: 'Test environment', callers: 'testers' },
}

const guides = [
  ['Your first print jobs', 'docs/first-print-jobs'],
  ['Callbacks', 'docs/callbacks'],
  ['Client libraries for TypeScript and Python', 'docs/client'],
  ['The provider guide', 'docs/provider-guide'],
] as const
const localSite = 'http://127.0.0.1:4173'

export type StartPageOptions = {
  prefixes: readonly string[]
  /** The address of the site of the documents. */
  guidesUrl?: string | undefined
  /** The file on this machine that has the credentials of the demonstration's users. */
  credentialsPath?: string | undefined
}

/** Returns the first page of the reference, in Markdown. */
export function writeStartPage({ prefixes, guidesUrl, credentialsPath }: StartPageOptions): string {
  const apis = prefixes.map((prefix) => {
    const { callers } = knownApis[prefix] ?? {}
    const link = `[${titleOf(prefix)}](?api=${prefix.slice(1)})`
    return callers === undefined ? `- ${link}` : `- ${link}, for ${callers}`
  })
  return `Despatch takes print jobs over HTTP and gets letters printed and posted.

# The APIs

The list at the top of the menu has them too. Each has an OpenAPI document, from which tools make clients and
collections of requests.

${apis.join('\n')}

# Sign in

Exchange the user name and password for a token, at \`POST /thirdparty-access/v1/authenticate\`. Send the token as
\`Authorization: Bearer …\`, and the API key as \`X-API-Key\`. The token is valid for an hour. Enter both under
_Authentication_ of an API: the examples then contain them, and _Test Request_ sends the request to this server.
${credentialsPath ? localCredentials(credentialsPath) : ''}
# Guides

${guidesUrl ? linkGuides(guidesUrl) : nameGuides()}
`
}

export function titleOf(prefix: string): string {
  return knownApis[prefix]?.title ?? prefix.slice(1)
}

/** The secrets stay in the file, which only its owner can read. The page can be read by every user of the machine. */
function localCredentials(path: string): string {
  return `
The password and the API key of \`demo-consumer\`, who has letters printed, and of \`demo-provider\`, the print factory,
are in \`${path}\` on the machine that runs Despatch. In the folder where it was started, this prints the API key and a
token:

\`\`\`sh
credential() { node -p "JSON.parse(require('fs').readFileSync('${path}')).$1"; }
credential consumer.apiKey
curl -s $(credential baseUrl)/thirdparty-access/v1/authenticate -H 'Content-Type: application/json' \\
  -d "{\\"userName\\":\\"demo-consumer\\",\\"password\\":\\"$(credential consumer.password)\\"}"
\`\`\`
`
}

function linkGuides(url: string): string {
  const site = url.replace(/\/$/, '')
  return guides.map(([title, path]) => `- [${title}](${site}/${path}.html)`).join('\n')
}

function nameGuides(): string {
  const files = guides.map(([title, path]) => `- ${title}: \`${path}.md\``)
  return `They are in the source of Despatch. \`npm run site -- --serve\` shows them at <${localSite}>.

${files.join('\n')}`
}
