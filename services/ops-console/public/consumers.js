import { ask, withQuery } from './api.js'
import { description } from './description.js'
import { announce, contents, element } from './dom.js'
import { count, moment } from './format.js'
import { attempt, begin, field, form } from './frame.js'
import { table } from './table.js'

/** Consumers are marked this many days before their credentials expire. */
const soonDays = 14
const dayMs = 86_400_000
/** From this share of its quota, a day is shown as nearly full. */
const nearlyFull = 0.8
const query = Object.fromEntries(new URLSearchParams(location.search))
const one = element('div', {})
const consumers = element('div', {})

await begin(async () => {
  contents().append(
    form({
      label: 'Find a consumer',
      button: 'Show',
      onsend: showConsumers,
      fields: [
        field(
          'User name',
          element('input', { name: 'userName', value: query.userName, autocomplete: 'off' }),
          'Leave empty for all',
        ),
      ],
    }),
    one,
    consumers,
  )
  await Promise.all([
    attempt(() => showConsumers(query)),
    query.consumer && attempt(() => showConsumer(query.consumer)),
  ])
})

async function showConsumers({ userName, cursor }) {
  const asked = { userName: userName?.trim() || undefined }
  const answer = await ask('GET', withQuery('/consumers', { ...asked, cursor }))
  consumers.replaceChildren(
    table({
      caption: 'Consumers',
      isText: true,
      columns: [
        'User name',
        'Name',
        'Roles',
        'Plan',
        'Password expires',
        'API key expires',
        'State',
      ],
      rows: answer.consumers.map((consumer) => [
        element(
          'a',
          { href: withQuery('/consumers', { consumer: consumer.consumerId }) },
          consumer.userName,
        ),
        consumer.name,
        consumer.roles.join(', '),
        consumer.usagePlan,
        untilDay(consumer.passwordExpiry),
        untilDay(consumer.apiKeyExpiry),
        consumer.disabledAt ? 'disabled' : 'enabled',
      ]),
      empty: 'No consumer found.',
    }),
    answer.nextCursor
      ? element(
          'button',
          {
            type: 'button',
            onclick: () => attempt(() => showConsumers({ ...asked, cursor: answer.nextCursor })),
          },
          'Next consumers',
        )
      : '',
  )
  announce(`Consumers shown: ${count(answer.consumers.length)}.`)
}

async function showConsumer(consumerId) {
  const path = `/consumers/${encodeURIComponent(consumerId)}`
  const [{ contracts, ...facts }, usage] = await Promise.all([
    ask('GET', path),
    ask('GET', `${path}/usage`),
  ])
  one.replaceChildren(
    element(
      'section',
      { class: 'card', 'aria-label': `Consumer ${facts.userName}` },
      element('h2', {}, `Consumer ${facts.userName}`),
      description({
        ...facts,
        roles: facts.roles.join(', '),
        services: facts.services.join(', ') || '–',
        apiKeyExpiry: untilDay(facts.apiKeyExpiry),
        passwordExpiry: untilDay(facts.passwordExpiry),
      }),
    ),
    showUsage(facts.userName, usage),
    table({
      caption: `Contracts of ${facts.userName}`,
      isText: true,
      columns: [
        'Job type',
        'Template',
        'Production',
        'Callbacks',
        'Order',
        'Hold',
        'Refuses',
        'Retention',
        'State',
      ],
      rows: contracts.map((contract) => [
        contract.jobType,
        contract.templateReference,
        contract.production,
        [...contract.callbackStatuses, ...(contract.callbackReturns ? ['returns'] : [])].join(
          ', ',
        ) || '–',
        contract.callbackOrder,
        contract.holdForApproval ? 'until released' : 'no',
        // administration of the previous release has no such choice
        contract.strict ? 'strict' : contract.refusedRules?.join(', ') || '–',
        contract.retentionDays ? `${count(contract.retentionDays)} days` : 'default',
        contract.retiredAt ? 'retired' : 'in use',
      ]),
      empty: 'No contracts.',
    }),
  )
}

function showUsage(userName, { usagePlan, at, services }) {
  const unreportedMax = Math.max(0, ...services.map(({ day }) => day?.unreportedMax ?? 0))
  const endsAt = services.find(({ day }) => day)?.day.endsAt
  return table({
    caption: `Usage of ${userName} on the plan ${usagePlan}`,
    isText: true,
    columns: [
      'Service',
      'Allowed',
      'Per second',
      'Burst per minute',
      'Per day',
      'Used today',
      'Remaining',
    ],
    rows: services.map(({ service, isLetIn, isLimited, requestsPerSecond, burst, day }) => [
      service,
      isLetIn ? 'yes' : 'no',
      isLimited ? count(requestsPerSecond) : 'not limited',
      isLimited ? count(burst) : 'not limited',
      day ? count(day.requestsPerDay) : 'not limited',
      day ? showDay(service, day) : 'not counted',
      day?.isKnown ? `about ${count(day.leftAbout)}` : undefined,
    ]),
    empty: 'No services.',
    note:
      unreportedMax === 0
        ? undefined
        : `Counted at ${moment(at)}. The day ends at ${moment(endsAt)}. Services report their counts in blocks. Each of their processes may have let through up to ${count(unreportedMax)} more.`,
  })
}

/** Shows how much of a day's quota is used, as a bar and in words. */
function showDay(service, { requestsPerDay, isKnown, usedAbout }) {
  if (!isKnown) return 'unknown: the shared counters do not respond'
  const share = Math.floor((usedAbout / requestsPerDay) * 100)
  return [
    element('meter', {
      min: '0',
      max: String(requestsPerDay),
      high: String(requestsPerDay * nearlyFull),
      value: String(usedAbout),
      'aria-label': `${service}: used today`,
    }),
    ` about ${count(usedAbout)} (${share} %)`,
  ]
}

/** Returns the day on which credentials expire, and how soon that is. */
function untilDay(day) {
  const days = Math.floor((Date.parse(`${day}T23:59:59Z`) - Date.now()) / dayMs)
  if (days < 0) return `${day}, expired`
  return days < soonDays ? `${day}, in ${days} d` : day
}
