// Runs the calls of existing SDKs against a running Pannier, and prints what became of each.
// Arguments: the folder of the packages, the server's address, and the company's keys as JSON.
import { pathToFileURL } from "node:url";

const [modules, host, text] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${modules}/@fleetbase/${path}`));
const sdk = await load("sdk/dist/esm/fleetbase.js");
const shop = await load("storefront/dist/esm/storefront.js");
const keys = JSON.parse(text);
const api = new sdk.default(keys.api_key, { host });
const store = new shop.default(keys.storefront_key, { host });

const results = [];
async function call(name, work) {
  try { const value = await work(); results.push([name, null]); return value; }
  catch (error) { results.push([name, String(error.message ?? error).slice(0, 160)]); return undefined; }
}
async function crud(name, st, attributes, change) {
  const made = await call(`${name}.create`, () => st.create(attributes));
  const id = made?.id;
  await call(`${name}.findRecord`, () => st.findRecord(id));
  await call(`${name}.findAll`, () => st.findAll());
  await call(`${name}.query`, () => st.query({ limit: 1 }));
  await call(`${name}.queryRecord`, () => st.queryRecord({}));
  await call(`${name}.update`, () => st.update(id, change));
  if (made) { await call(`${name} resource.save`, () => { made.setAttribute?.(Object.keys(change)[0], Object.values(change)[0]); return made.save(); });
    await call(`${name} resource.reload`, () => made.reload()); }
  const doomed = await call(`${name}.create again`, () => st.create({ ...attributes, ...(attributes.phone ? { phone: '+6591000001' } : {}) }));
  if (doomed) await call(`${name}.destroy`, () => st.destroy(doomed));
  return made;
}
const border = { type: 'Polygon', coordinates: [[[103.6, 1.2], [104.0, 1.2], [104.0, 1.5], [103.6, 1.5], [103.6, 1.2]]] };
const place = await crud('places', api.places, { name: 'Depot', street1: '1 Raffles Place', city: 'Singapore', country: 'SG', location: { type: 'Point', coordinates: [103.85, 1.28] } }, { name: 'Depot 2' });
await crud('contacts', api.contacts, { name: 'Ada', phone: '+6591234567', email: 'ada@example.com', type: 'customer' }, { name: 'Ada L' });
await crud('vendors', api.vendors, { name: 'Freight', email: 'f@example.com' }, { name: 'Freight 2' });
const vehicle = await crud('vehicles', api.vehicles, { make: 'Toyota', model: 'Hiace', year: 2022, plate_number: 'S1' }, { model: 'Proace' });
const driver = await crud('drivers', api.drivers, { name: 'Grace', phone: '+15555550100', email: 'g@example.com', country: 'SG', city: 'Singapore' }, { name: 'Grace H' });
const area = await crud('serviceAreas', api.serviceAreas, { name: 'SG', country: 'SG', type: 'country', border }, { name: 'SG 2' });
await crud('zones', api.zones, { name: 'Z', service_area: area?.id, border }, { name: 'Z 2' });
await crud('fleets', api.fleets, { name: 'F' }, { name: 'F 2' });
await crud('entities', api.entities, { name: 'Box', type: 'parcel' }, { name: 'Box 2' });
await call('organizations.current', () => api.organizations.current());
await call('drivers.track', () => api.drivers.track(driver.id, { latitude: 1.3, longitude: 103.8, speed: 5, heading: 90, altitude: 3 }));
await call('drivers.login sms', () => api.drivers.login('+15555550100'));
const signed = await call('drivers.verifyCode', () => api.drivers.verifyCode('+15555550100', '000000'));
await call('drivers.login password', () => api.drivers.login('g@example.com', 'secret'));
await call('drivers.listOrganizations', () => api.drivers.listOrganizations(driver.id));
await call('drivers.currentOrganization', () => api.drivers.currentOrganization(driver.id));
await call('drivers.switchOrganization', () => api.drivers.switchOrganization(driver.id, { next: 'company_x' }));
await call('drivers.syncDevice', () => api.drivers.syncDevice(driver.id, { token: 'tok', platform: 'android' }));
const route = { pickup: '1.30,103.80', dropoff: '1.35,103.85' };
const order = await crud('orders', api.orders, { ...route, notes: 'x', driver: driver?.id }, { notes: 'y' });
const id = order?.id;
const steps = async (o) => {
await call('orders.getDistanceAndTime', () => api.orders.getDistanceAndTime(o));
await call('orders.dispatch', () => api.orders.dispatch(o));
await call('orders.start', () => api.orders.start(o, { skip_dispatch: true }));
const next = await call('orders.getNextActivity', () => api.orders.getNextActivity(o));
await call('orders.captureQrCode', async () => { const full = await api.orders.findRecord(o); return api.orders.captureQrCode(o, null, { code: full.getAttribute('uuid'), data: {}, raw_data: full.getAttribute('uuid') }); });
await call('orders.captureSignature', () => api.orders.captureSignature(o, null, { signature: keys.signature }));
await call('orders.updateActivity', () => api.orders.updateActivity(o, { activity: next[0] }));
await call('orders.complete', () => api.orders.complete(o));
};
await steps(id);
const multi = await call('orders.create waypoints', () => api.orders.create({ driver: driver?.id, payload: { waypoints: [{ place: '1.30,103.80', type: 'pickup' }, { place: '1.32,103.82', type: 'dropoff' }, { place: '1.35,103.85', type: 'dropoff' }] } }));
await call('orders.setDestination', () => api.orders.setDestination(multi.id, multi.getAttribute('payload').waypoints[2].id));
await call('orders.cancel', () => api.orders.cancel(multi.id));
// storefront
await call('about', () => store.about());
await call('lookup', () => store.lookup(keys.company));
await call('search', () => store.search('x'));
for (const n of ['products', 'categories', 'foodTrucks', 'reviews']) await call(`${n}.findAll`, () => store[n].findAll());
await call('reviews.count', () => store.reviews.count());
await call('cart.retrieve', () => store.cart.findRecord('x'));
await call('checkout.initialize', () => store.checkout.initialize({}));
await call('customers.requestCreationCode', () => store.customers.requestCreationCode('+15555550177', 'sms'));
const customer = await call('customers.create', () => store.customers.create('+15555550177', '000000', { name: 'Anna', password: 'correct horse battery', email: 'anna@example.test' }));
await call('customers.login sms', () => store.customers.login('+15555550177'));
const login = await call('customers.verifyCode', () => store.customers.verifyCode('+15555550177', '000000'));
await call('customers.login password email', () => store.customers.login('anna@example.test', 'correct horse battery'));
await call('customers.loginWithFacebook', () => store.customers.loginWithFacebook('fb1', 'fb@example.test', 'F', 'http://x/y.png'));
await call('customers.loginWithApple', () => store.customers.loginWithApple('a', 'tok', 'code', 'a@example.test', 'A'));
await call('customers.loginWithGoogle', () => store.customers.loginWithGoogle('tok', 'client'));
if (login) {
  await call('customer.syncDevice', () => login.syncDevice('token-1', 'ios'));
  await call('customer.getSavedPlaces', () => login.getSavedPlaces());
  await call('customer.getOrderHistory', () => login.getOrderHistory());
  await call('customers.retrieve me', () => store.customers.retrieve('me'));
  await call('customer.save', () => { login.setAttribute('name', 'Anna 2'); return login.save(); });
  await call('customer.getStripeEphemeralKey', () => login.getStripeEphemeralKey());
  await call('customer.getStripeSetupIntent', () => login.getStripeSetupIntent());
}
console.log(JSON.stringify(Object.fromEntries(results)));
