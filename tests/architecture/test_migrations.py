"""No migration holds up the release before it, and none changes once it is in use."""

from typing import Final

from pannier.db import versions
from pannier.db.migrate import list_migrations
from pannier.db.migration_rules import find_violations


def test_migrations_leave_the_traffic_alone() -> None:
    assert [str(finding) for finding in find_violations(list_migrations())] == []


def test_migrations_are_numbered_without_gaps() -> None:
    steps = list_migrations()
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))


def test_a_migration_declares_the_oldest_version_that_may_run_beside_it() -> None:
    versions_by_name = {step.name: step.oldest_version for step in list_migrations()}
    missing = [name for name, oldest in versions_by_name.items() if oldest is None]
    assert missing == [], "Begin them with `-- oldest version: X`; see CONTRIBUTING."
    ahead = [
        name
        for name, oldest in versions_by_name.items()
        if versions.is_older(versions.read_version(), oldest or "")
    ]
    assert ahead == [], "This release could not run beside its own steps."


# The checksum of every migration that databases out there have run. Add a line for a new file when
# it is merged; never change one. What must change comes in a later file, with a test for its data.
FROZEN: Final = {
    "0001_pannier.sql": "7b84d18b00ca66ef7f4d678a3a411d0d603ef505b781502d9a3ba7d188ef277b",
    "0002_fleet_planning.sql": "26ad58616333b4218788612898204d8e5a2a81e0a3c78a5ce3e8be4c66140f4f",
    "0003_plans.sql": "3575473a992e3e5f06078fdd69d14fc84017451af64bd8e2460fc32350061f0d",
    "0004_driver_etas.sql": "1d04ff9dcaf0dad9172732344c17d437fdcaedca4db5bfd09fdf3609c6f14983",
    "0005_billing_role.sql": "fd7e2f77cc18a6a33a270c5f06417980cd5276d712fd6d0ff3dfdb34adf715ea",
    "0006_tariffs.sql": "73a457fede90726c216ab54722f427255169da262ff0cfe3ed84a9c621c750a0",
    "0007_cash_on_delivery.sql": "55540366da7a28c7cc4c4d7746ede16d9373c6180d6bf6eda5ab35edbc073eec",
    "0008_firm_prices.sql": "e5f75f98ca62091a7dfdfded2047414bac7e74e31b487cabbae2d4ed42b19605",
    "0009_disputes.sql": "bfe6e0f05f5aaae492ac53a09685c88113a9ffae7d37d17d31f51a28cf917176",
    "0010_changed_rates.sql": "2e1c6ef4dee48d7415634e5d18d84e3fcf997a46cddc7dd3b4e90ab521841309",
    "0011_unpriced_orders.sql": "2b35ee864746b327bdabd19d57d12fcce16ba444e68867d3b4d9706d97f41172",
    "0012_billing_identities.sql": (
        "08fe7debea86152bc846da64ad723a8c260456c591c1655a4060d53076fc2964"
    ),
    "0013_cash_desk.sql": "889ec09c677937fd020b736133b159c06b0bf699391eff464a675806a9142626",
    "0014_charges.sql": "bbbe86077495d025e1f4cae23c7b9737889fc84aa8b1681a4bab523dae5c12be",
    "0015_balances.sql": "ea203ffab668facdc88d393125701cc869e6ad17f754ceeda17602f4fcb51a51",
    "0016_payment_deadlines.sql": (
        "bb137e98d63bbe6d6e3ae998257108d497494dfbd68d15fca8a12fba168be769"
    ),
    "0017_unpaid_order_indexes.sql": (
        "4de06180b54441e48c6002228fc6539064738d72b479904547f5b06b16226091"
    ),
    "0018_names_as_sent.sql": "ad8b845ccf17694a007f741b147d49a9d0191c49ed1181a56c3c5ad81c24fa51",
    "0019_cash_indexes.sql": "95cc3e88404ba47b7ba4773fce6bcea37cda06b006bcdf141a8f4e9e6dce6f5a",
    "0020_invoices.sql": "5c9d1d68e45fd5fbd6d4637008121f017c9e67b4f2ec48cabd1c2e659708fd5c",
    "0021_invoice_emails.sql": "2c603778efb9ea5acf9416da49fc1c02f4e5889caf534d682119a56e78f8b46a",
    "0022_invoice_retention.sql": (
        "8a0935b9baaf023413c743e1d3f779f06983881fc70654c5a0790ed8b5ed3e1c"
    ),
    "0023_message_attachments.sql": (
        "5aa82b95ef1f468a402548b00ea18608867a045e2384219d2320d21358fca3aa"
    ),
    "0024_rate_surcharges.sql": "c1113ceac55319c380de53172522e7fbd73948e1eafcfa81ad392d92be1515da",
    "0025_bounded_deadlines.sql": (
        "74e0689d92e6e97a23633988beea297cae4e99fa64fce6736095845ccfa64b90"
    ),
    "0026_valid_deadlines.sql": "ea387709f40c83632e80370ca053b6a9b409beefb05eb6797c00b42c3a5b1a17",
    "0037_delivery_instructions.sql": (
        "1acd1fd2872d47f9a5f84e70357abcc91fa3ebc0a54739648373d86fb3991298"
    ),
    "0043_delivery_ratings.sql": (
        "acb33b5a84bbc4ada4bf1b478168f8a176d4202bc186c3acaab5d3e3526e97e7"
    ),
    "0034_dispatch_phone.sql": "41f0512bc1a748604fd5760f86f864c3aeb154788c02644f6c28087b756de861",
    "0032_steps_at_the_pickup.sql": (
        "52516c667c4df63bb75502775c95fa0ed98ff9fcca4317540368a94d76591643"
    ),
    "0027_home_indexes.sql": "7dd6e99f081bad0d824329400a1420a9735697b62eeb19a97f665e42dfee7e4a",
    "0028_imports.sql": "1b985f4573fd605d80a6ee31e77d4023b60344081e7e95d0d7ed8250abb46bc7",
    "0029_search_functions.sql": "df9e7318e6353039c3eb1691c4f5a251b466fa42202bc831b30aca968a659411",
    "0030_search_indexes.sql": "3972dd64bbd61b9a2eb4dae1effe4174b7abfcea90d8d8006276c22466088369",
    "0031_reports.sql": "36c0d151485c7003fcdd524cd1b4348162cb2cbcd23876030fc0943dc0d44a3f",
    "0035_touched_report_days.sql": (
        "b564bbd516bdffd7e6058c82bd0b9022aa107e0907343a5226df7e82fc6f6d4c"
    ),
    "0036_import_progress.sql": (
        "2288584168d4419cd71307ad58c0ed6612d0de6b84dfb3c337dc60300d4f77ec"
    ),
    "0038_order_templates.sql": "d3e027a2d61544195c28a840eb47f8902d93c22e60c097a920a07706eccee485",
    "0039_more_reports.sql": "554238d9c4f9852c9b0ef2b868718abe2b42db91dd645e39e21cd2015ae72a57",
    "0040_sample_data.sql": "78997d3e519de429a1de7d634e0a2bfa56be20b1bdf277a19b54aab7be67ced3",
    "0044_recurring_orders.sql": "4295150ade584e8342a3a4806ad90b17056ea8e92661f7f09556700887eff541",
    "0045_import_date_order.sql": (
        "d7af36ff827f7b24c508bf639330f8c706fa5cd8a2f7a7d786948881932eeb06"
    ),
    "0047_event_deletions.sql": "f9bf1fe4f507671e6eb074223ff78ea9754fc3fe74fb668882e98c1ab01a91a9",
    "0048_event_threads.sql": "04874651eb2f0299e4b91c5bdc95420d5d39b50fb203259aa9480e0e9b175912",
    "0049_item_quantity.sql": "47b0e60245a087e6282794c517604c495c012df483d820d0d5f867a27a5ce284",
    "0050_order_batch_keys.sql": (
        "3495d6dc04e492027573ecac22960515b85f7b740f3c7870f79a85caa9993524"
    ),
    "0051_updated_since_indexes.sql": (
        "e1757660611b953238df1933c47f77d0abc9a21e0dc9218b210d46f7a5a909a7"
    ),
    "0033_saved_views.sql": "c3bb1ad35ff535e7111f0f4e0b433fd112e58d2498be23ae235f5697f33b1d15",
    "0046_temperature_limits.sql": (
        "4a3f73e902efdfb8a28cfa8a1477a614a1128336ee11d34d26d1b2bb2f82a3e2"
    ),
    "0052_driver_message_photos.sql": (
        "c3797aa723819f4533e3fbc21c5117edf0068bd288cf42435582e69484176534"
    ),
    "0041_alerts.sql": "94e29c8cbb832d871e040df359f750ae2df03b144cbc243fe26cc72fd0f67a81",
    "0042_driver_messages.sql": "350371ad400ffb89985fecdae423361a1c0dec0f0d7602e61f8254cb96611b6c",
    "0053_simulations.sql": "9ce6fd0132a7362cfde4417cae453657776157a70ab5f4173ec902868ed572bd",
    "0054_alert_list_indexes.sql": (
        "e0b28b8f0e7d9d349852f7c72dd6d0cc5d5ebd4716f1529b63ffb88752e8a90e"
    ),
    "0055_order_internal_ids.sql": (
        "f4ce595683325698e45c5d8eb11dbbcf9b2b54a7c844af2d2d09385cbcae2809"
    ),
    "0056_fill_order_internal_ids.sql": (
        "b27dac6a04d65c76de4df565aa429b3b788e0c1914f82c4699efa120c3d7bbb6"
    ),
    "0057_order_returns.sql": "93eee481c10c5ce84b5524ac5e65d080e6cfd3862abf79c440ad777fba659564",
    "0058_driver_history_index.sql": (
        "fcab757fd8ed7aa5254e2ba27324ccb2c811d511a40c1c27dd8912255db02a96"
    ),
    "0059_bounded_recurring_days.sql": (
        "0aeedb755416f32a4b1730de5b0b99b89db263b1b815b7ecb3b0e57344c39a47"
    ),
    "0071_backups.sql": "e003f17b0d44389ece01a56db8382002f24d7eed6b133f9c36600394b36e14be",
    "0072_unacknowledged_alerts.sql": (
        "a30836c0f7adf7804540505c46d60f718cc6734f7a07c1c8ebd819322c07dbe9"
    ),
    "0060_validate_recurring_days.sql": (
        "0b5d9c2c5e1161e5b59e78fd8b936c950f31b94dd406881499d9772da1e3cbbd"
    ),
    "0061_item_number_parts.sql": (
        "3dd97dabe72a4972159ade315ea9bdae5c9dceeb3a15291de588ea708c0e27e6"
    ),
    "0062_deferred_internal_ids.sql": (
        "39aea142fe0f6fe5de1041d46d165c7c7c9bfb2049a2a644e395734b2c296f96"
    ),
    "0063_scheduled_moves.sql": "e35880a89f59afbf0cfdeef0c94467c5a0ddd429f3a9f2944dd254af725e69c7",
    "0064_whereabouts_indexes.sql": (
        "b178d3dcade50569a9453a9f277f25cee446d1769d56bfa4e497e2b01bc0aedd"
    ),
    "0065_process_versions.sql": (
        "9a6cade0d8134eac02c43444ab687cee859f73c243907bb4ca3f1e69f4c35b86"
    ),
    "0066_room_for_updates.sql": "59af5066d62ddf8e140d177a1c0171e51c820f56ee786cccc4a3837595749aa5",
    "0067_unused_indexes.sql": "fa43cad54edee14c75d0b2c0590f808d8f50579e18d8b1697a24ee2057d5b552",
    "0068_silent_sensors.sql": "54329389bd2ea37bd3e305913584ca4ddfed91763b5aadfd795c10c928eb3958",
    "0069_bounded_times.sql": "da4ebbf995bc5dbc7ee0055cd7809b85c38b289f6f81f1b9569b86e1a92cda5f",
    "0070_validate_bounded_times.sql": (
        "8b12f1aa893e210cad81c41197ab1dbd498be18b1a322c375159b7df1de58001"
    ),
}


def test_a_migration_in_use_never_changes() -> None:
    assert {step.name: step.checksum for step in list_migrations()} == FROZEN
