export const administrationPrefix = '/administration'
export const administrationPath = `${administrationPrefix}/v1`
export const consumersPath = `${administrationPath}/consumers`
export const consumerPath = `${consumersPath}/:consumerId`
