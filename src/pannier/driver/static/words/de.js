export default {
  "app.name": "Pannier Fahrer",
  "sign-in.no-key": "Öffne den Link oder scanne den Code von deiner Disposition. Er sagt der App, für welche Firma du fährst.",
};
