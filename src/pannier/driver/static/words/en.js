export default {
  "app.name": "Pannier Driver",
  "sign-in.no-key": "Open the link or scan the code that your dispatcher gave you. It tells this app which company you drive for.",
};
