// What was pressed or captured and has not reached the server yet.
export async function send() {}
